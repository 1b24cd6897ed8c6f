// A torch.save file: the archive, and its pickle as data.
#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/file.h"
#include "core/checkpoint/pickle.h"
#include "core/checkpoint/torch_archive.h"
#include "core/checkpoint/torch_tensor.h"

namespace core::checkpoint {

class TorchFile {
 public:
  /// Reads the archive's directory and its pickle, no tensor. Errors: those of TorchArchive and pickle::parse.
  TorchFile(File file, const ZipDirectory& directory);
  TorchFile(const TorchFile&) = delete;  // m_archive refers to m_file
  TorchFile& operator=(const TorchFile&) = delete;

  const File& file() const { return m_file; }
  const TorchArchive& archive() const { return m_archive; }
  const pickle::Value& root() const { return m_document.root(); }
  const std::vector<std::string>& notes() const { return m_notes; }  ///< sentences for the load report

 private:
  File m_file;
  TorchArchive m_archive;
  pickle::Document m_document;
  std::vector<std::string> m_notes;
};

/// For a file that was cut before its directory: how many bytes the storages take that its pickle names, or 0.
std::uint64_t bytesNamedByCutFile(const File& file);

}  // namespace core::checkpoint
