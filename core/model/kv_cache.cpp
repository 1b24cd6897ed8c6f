#include "core/model/kv_cache.h"

#include <algorithm>

namespace core::model {

void GrowingTensor::append(const at::Tensor& rows) {
  const std::int64_t added = rows.size(m_dimension);
  if (!m_storage.defined() || m_size + added > m_storage.size(m_dimension)) {
    std::vector<std::int64_t> sizes = rows.sizes().vec();
    m_capacity = std::max(m_capacity, std::max(2 * m_size, m_size + added));
    sizes[static_cast<std::size_t>(m_dimension)] = m_capacity;
    const at::Tensor larger = at::empty(sizes, rows.options());
    if (m_size > 0) larger.slice(m_dimension, 0, m_size).copy_(view());
    m_storage = larger;
  }
  m_storage.slice(m_dimension, m_size, m_size + added).copy_(rows);
  m_size += added;
}

KvCache::KvCache(const ModelConfig& config, std::int64_t capacity) : m_hidden(0, capacity) {
  const GrowingTensor perHead(1, capacity);
  m_layers.assign(static_cast<std::size_t>(config.layers), Layer{perHead, perHead, perHead, perHead});
}

LayerRecord KvCache::layer(std::size_t layer) const {
  const Layer& grown = m_layers[layer];
  return {grown.q.view(), grown.k.view(), grown.v.view(), grown.lse.view()};
}

void KvCache::appendKeys(std::size_t layer, const LayerRecord& rows) {
  m_layers[layer].k.append(rows.k);
  m_layers[layer].v.append(rows.v);
}

void KvCache::appendRows(std::size_t layer, const LayerRecord& rows) {
  m_layers[layer].q.append(rows.q);
  m_layers[layer].lse.append(rows.lse);
}

}  // namespace core::model
