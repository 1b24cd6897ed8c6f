#include "app/about.h"

#include <QCoreApplication>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QSysInfo>
#include <cstdlib>

namespace app {

QList<std::pair<QString, QString>> systemFacts(const core::DeviceFacts& device) {
  const auto text = [](const char* source) { return QCoreApplication::translate("app::About", source); };
  QList<std::pair<QString, QString>> rows{
      {text("Headscope"), HEADSCOPE_VERSION},
      {text("Licence"), text("GPL-3.0-or-later, because Qt Charts is GPL")},
      {text("Qt"), QString("%1 (%2)").arg(qVersion(), QGuiApplication::platformName())},
      {text("LibTorch"), QString::fromStdString(device.torch)},
      {text("CUDA"), QString::fromStdString(device.cuda)},
      {text("CPU threads"), QString::number(device.threads)},
      {text("System"), QSysInfo::prettyProductName() + ", " + QSysInfo::kernelType() + ' ' + QSysInfo::kernelVersion()},
  };
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    rows.append({"CUDA_VISIBLE_DEVICES", QString("\"%1\"").arg(QString::fromLocal8Bit(visible))});
  const bool hasChinese = !QFontDatabase::families(QFontDatabase::SimplifiedChinese).isEmpty();
  rows.append({text("Fonts"), hasChinese
                                  ? text("Chinese, Japanese and Korean tokens can be drawn")
                                  : text("No font with Chinese, Japanese or Korean letters is installed: such tokens "
                                         "are drawn as boxes. Install one, for example fonts-noto-cjk.")});
  return rows;
}

}  // namespace app
