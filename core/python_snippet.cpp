// The lines of Python that load what was exported.
#include <array>
#include <cstdio>

#include "core/export_format.h"
#include "core/tokenizer/utf8.h"

namespace core {

namespace {

std::string escape(const char* format, unsigned value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// A path as Python writes it: bytes that are not UTF-8 as the surrogates that open() turns back into them (PEP 383).
std::string literal(const std::string& path) {
  std::string text = "\"";
  for (std::size_t at = 0; at < path.size();) {
    const tokenizer::CodePoint point = tokenizer::codePointAt(path, at);
    const std::string character = path.substr(at, point.length);
    at += point.length;
    if (!point.valid) {
      text += escape("\\udc%02x", static_cast<unsigned char>(character[0]));
    } else if (point.value == '"' || point.value == '\\') {
      text += '\\' + character;
    } else if (point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0)) {
      text += escape("\\x%02x", static_cast<unsigned>(point.value));
    } else if ((point.value >= 0x2028 && point.value <= 0x202E) || (point.value >= 0x2066 && point.value <= 0x2069)) {
      text += escape("\\u%04x", static_cast<unsigned>(point.value));  // would turn the line round or end it
    } else {
      text += character;
    }
  }
  return text + '"';
}

/// "(6, 6, 48, 48) float32: layer, head, query, key".
std::string described(const Exported::Array& array) {
  std::string text = "(";
  for (std::size_t i = 0; i < array.shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(array.shape[i]);
  text += (array.shape.size() == 1 ? ",) " : ") ") + array.type;
  constexpr std::array kAxes{"layer", "head", "query", "key"};
  if (array.name != "attn" || array.shape.size() > kAxes.size()) return text;
  for (std::size_t i = 0; i < array.shape.size(); ++i)
    text.append(i == 0 ? ": " : ", ").append(kAxes[kAxes.size() - array.shape.size() + i]);
  return text;
}

std::string arrayLines(const Exported& exported) {
  std::string text;
  for (const Exported::Array& array : exported.arrays) {
    if (array.name == "meta") continue;
    text += array.name + " = d[\"" + array.name + "\"]  # " + described(array) + "\n";
  }
  return text;
}

std::string metaLine(const Exported& exported) {
  return "meta = json.load(open(" + literal(exported.metaFile.string()) + ", encoding=\"utf-8\"))\n";
}

}  // namespace

std::string pythonSnippet(const Exported& exported) {
  const std::string path = literal(exported.file.string());
  switch (exported.format) {
    case ExportFormat::Npz:
      return "import json\nimport numpy as np\n\nd = np.load(" + path + ")\n" + arrayLines(exported) +
             "meta = json.loads(d[\"meta\"].item())\n";
    case ExportFormat::Npy: {
      const Exported::Array& array = exported.arrays.front();
      return "import json\nimport numpy as np\n\n" + array.name + " = np.load(" + path + ")  # " + described(array) +
             "\n" + metaLine(exported);
    }
    case ExportFormat::Safetensors:
      return "import json\nfrom safetensors import safe_open\nfrom safetensors.numpy import load_file\n\nd = "
             "load_file(" +
             path + ")\n" + arrayLines(exported) + "with safe_open(" + path +
             ", framework=\"np\") as file:\n    meta = json.loads(file.metadata()[\"meta\"])\n";
    case ExportFormat::Csv: break;
  }
  if (exported.form == CsvOptions::Form::Matrix) {
    return "import json\nimport pandas as pd\n\ntable = pd.read_csv(" + path +
           ", index_col=0)  # rows: queries, columns: keys\n" + metaLine(exported);
  }
  // Tokens may be spelled "nan" or "NA", which pandas would take for numbers that are missing.
  return "import json\nimport pandas as pd\n\ntable = pd.read_csv(" + path +
         ", keep_default_na=False, na_values={\"weight\": [\"nan\"]})\n"
         "# columns: layer, head, query, key, q_token, k_token, weight\n" +
         metaLine(exported);
}

}  // namespace core
