#include "particles/state.h"

namespace talus {

void State::put_store(const std::string& prefix, const ParticleStore& store) {
  for (std::size_t f = 0; f < store.field_count(); ++f) {
    const auto bytes = store.bytes(f);
    Entry& entry = entries_[prefix + "/" + store.info(f).name];
    entry.item_bytes = static_cast<std::uint32_t>(bytes_per_item(store.info(f).type));
    entry.data.assign(bytes.begin(), bytes.end());
  }
}

Status State::get_store(const std::string& prefix, ParticleStore& store) const {
  std::size_t count = 0;
  for (std::size_t f = 0; f < store.field_count(); ++f) {
    const std::string name = prefix + "/" + store.info(f).name;
    const Entry* entry = find(name);
    const std::size_t item = bytes_per_item(store.info(f).type);
    if (entry == nullptr || entry->item_bytes != item || entry->data.size() % item != 0)
      return work_error("checkpoint lacks field '{}' or has it in another type", name);
    const std::size_t n = entry->data.size() / item;
    if (f > 0 && n != count)
      return work_error("checkpoint field '{}' has {} items, others have {}", name, n, count);
    count = n;
  }
  store.resize(count);
  for (std::size_t f = 0; f < store.field_count(); ++f) {
    const Entry* entry = find(prefix + "/" + store.info(f).name);
    if (count > 0) std::memcpy(store.bytes(f).data(), entry->data.data(), entry->data.size());
  }
  return {};
}

}  // namespace talus
