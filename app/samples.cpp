#include "app/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include "core/error.h"
#include "core/openable.h"

namespace app {

namespace {

/// Empty when there is none.
QString modelsFolder() {
  const QDir program(QCoreApplication::applicationDirPath());
  for (const QString& folder : {program.filePath("../share/headscope/models"), QString(HEADSCOPE_MODELS_FOLDER)})
    if (QFileInfo(folder).isDir()) return QDir::cleanPath(folder);
  return {};
}

}  // namespace

std::vector<Sample> samples() {
  std::vector<Sample> samples;
  const QDir models(modelsFolder());
  if (models.path() == ".") return samples;
  for (const QString& folder : models.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
    try {
      for (const core::Openable& offer : core::openable(models.filePath(folder).toStdString())) {
        const QFileInfo file(QString::fromStdString(offer.path.string()));
        const bool namesItself = file.suffix() == "gguf";
        samples.push_back({namesItself ? file.completeBaseName() : folder, file.filePath()});
      }
    } catch (const core::Error&) {
      // A folder without a model is no sample.
    }
  }
  return samples;
}

QString bundledModel() {
  const QString model = QDir(modelsFolder()).filePath("shakespeare-char/ckpt.pt");
  return QFileInfo(model).isFile() ? QDir::cleanPath(model) : QString();
}

QString bundledPrompt() {
  return "GLOUCESTER:\n"
         "My lord, the king is at the gate now.\n"
         "\n"
         "KING HENRY:\n"
         "Then let the gate be opened to the k";
}

}  // namespace app
