#include "app/bundled_model.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace app {

QString bundledModel() {
  const QDir program(QCoreApplication::applicationDirPath());
  for (const QString& folder : {program.filePath("../share/headscope/models"), QString(HEADSCOPE_MODELS_FOLDER)}) {
    const QString model = QDir(folder).filePath("shakespeare-char/ckpt.pt");
    if (QFileInfo(model).isFile()) return QDir::cleanPath(model);
  }
  return {};
}

QString bundledPrompt() {
  return "GLOUCESTER:\n"
         "My lord, the king is at the gate now.\n"
         "\n"
         "KING HENRY:\n"
         "Then let the gate be opened to the k";
}

}  // namespace app
