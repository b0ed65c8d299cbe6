import type { TextSink } from './text-sink.ts';

/** UTF-8, UTF-16 with its mark, or what Windows wrote before. Throws for what is no text. */
export function plainText(bytes: Uint8Array, sink: TextSink): void {
  sink.add(decoded(bytes));
}

export function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.includes(0)) throw new Error('it is no text');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
