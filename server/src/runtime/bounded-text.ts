/** The text of an answer; undefined when it is larger. */
export async function boundedText(
  { body }: Pick<Response, 'body'>,
  bytesMax: number,
): Promise<string | undefined> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // To leave the loop ends the request too.
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks, bytes));
}
