/** The text of chunks; undefined when it is larger, and then the rest is not read. */
export async function textWithin(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string | undefined> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    all.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(all, bytes));
}
