#include "app/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStringList>

#include "core/error.h"
#include "core/openable.h"

namespace app {

namespace {

/// Installed beside the program, and in the source tree; those that are there.
QStringList modelsFolders() {
  const QDir program(QCoreApplication::applicationDirPath());
  QStringList folders = {program.filePath("../share/headscope/models"), QString(HEADSCOPE_MODELS_FOLDER)};
  folders.removeIf([](const QString& folder) { return !QFileInfo(folder).isDir(); });
  return folders;
}

void addSamplesIn(const QString& folder, std::vector<Sample>& samples) {
  try {
    for (const core::Openable& offer : core::openable(folder.toStdString())) {
      const QFileInfo file(QString::fromStdString(offer.path.string()));
      const bool namesItself = file.suffix() == "gguf";
      samples.push_back({namesItself ? file.completeBaseName() : QDir(folder).dirName(), file.filePath()});
    }
  } catch (const core::Error&) {
    // A folder without a model is no sample.
  }
}

}  // namespace

std::vector<Sample> samples() {
  std::vector<Sample> samples;
  for (const QDir models : modelsFolders()) {
    for (const QString& folder : models.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
      addSamplesIn(models.filePath(folder), samples);
  }
  return samples;
}

QString bundledModel() {
  for (const QString& folder : modelsFolders()) {
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
