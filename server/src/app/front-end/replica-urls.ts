/**
 * The list that pages get as `MSKREPLICAURLS` (specification, section 2.9): what the setting
 * `ReplicaURLs` names, in its order, then the replicas that have registered, by their address, so
 * that the order does not change with who came first. Each stands there once, without a slash at
 * its end.
 */
export function replicaUrlList(setting: string, registered: readonly string[]): string {
  const named = setting.split(';').map(addressOf);
  const urls = new Set([...named, ...registered.map(addressOf).toSorted()]);
  urls.delete('');
  return [...urls].join(';');
}

/** Empty for what is no URL. A semicolon within one would end it: it is encoded. */
function addressOf(text: string): string {
  const href = URL.parse(text.trim())?.href ?? '';
  return href.replace(/\/+$/, '').replaceAll(';', '%3B');
}
