#include "tests/core/npy_builder.h"

#include <zlib.h>

#include <cstring>
#include <stdexcept>

namespace support {

namespace {

template <class Value>
std::string rawBytes(const std::vector<Value>& values) {
  std::string bytes(values.size() * sizeof(Value), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Both descriptions, without flags.
void describe(ZipMember& member, std::uint16_t method, std::uint64_t size) {
  for (ZipFields* fields : {&member.local, &member.central}) {
    fields->flags = 0;
    fields->method = method;
    fields->size = size;
    fields->compressedSize = member.data.size();
  }
}

}  // namespace

std::string npyOf(const std::string& dictionary, const std::string& data, int major, int minor) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += static_cast<char>(minor);
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) bytes += static_cast<char>((dictionary.size() >> (8 * i)) & 0xFF);
  return bytes + dictionary + data;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  return npyOf("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n", data);
}

std::string npy(const std::string& shape, const std::vector<float>& values) {
  return npy("<f4", shape, rawBytes(values));
}

std::vector<float> uniformWeights(std::int64_t maps, std::int64_t T) {
  std::vector<float> values;
  for (std::int64_t map = 0; map < maps; ++map) {
    for (std::int64_t i = 0; i < T; ++i) {
      for (std::int64_t j = 0; j < T; ++j) values.push_back(j <= i ? 1 / static_cast<float>(i + 1) : 0);
    }
  }
  return values;
}

std::string bytesOf(const std::vector<float>& values) { return rawBytes(values); }
std::string bytesOf(const std::vector<std::int64_t>& values) { return rawBytes(values); }

ZipMember& addStored(ZipBuilder& zip, const std::string& name, const std::string& data) {
  ZipMember& member = zip.add(name, data);
  describe(member, 0, data.size());
  return member;
}

std::string deflated(const std::string& data) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string packed(deflateBound(&stream, data.size()), '\0');
  std::string input = data;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (::deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

ZipMember& addDeflated(ZipBuilder& zip, const std::string& name, const std::string& data) {
  ZipMember& member = zip.add(name, data);  // whose checksum is that of what is inside
  member.data = deflated(data);
  describe(member, 8, data.size());
  return member;
}

}  // namespace support
