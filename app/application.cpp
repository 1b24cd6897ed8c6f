#include "app/application.h"

#include <new>

#include "app/headless.h"
#include "widgets/panels/dialogs.h"

namespace app {

bool Application::notify(QObject* receiver, QEvent* event) {
  try {
    return QApplication::notify(receiver, event);
  } catch (const core::Error& error) {
    report(error);
  } catch (const std::bad_alloc&) {
    report({core::ErrorKind::OutOfMemory, "There is not enough memory for this. Close other programs and try again."});
  } catch (const std::exception& error) {
    report({core::ErrorKind::Unsupported, "This action stopped at an unexpected fault; what is open is unchanged.",
            error.what()});
  }
  return false;
}

void Application::report(const core::Error& error) {
  printError(error);
  widgets::showError(tr("Unexpected fault"), error, activeWindow());
}

}  // namespace app
