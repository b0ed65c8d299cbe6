import { Parser } from 'htmlparser2';
import { Depth, type TextSink } from './text-sink.ts';

/** What is in them is not shown. */
const SILENT: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg']);
/** They run on in a line. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
const PART_CHARACTERS = 64 * 1024;

/**
 * The text of a page, read as a stream of tags: nothing is built of them, however deep they stand
 * in each other.
 */
export function htmlText(bytes: Uint8Array, sink: TextSink): void {
  let silent = 0;
  const depth = new Depth();
  const parser = new Parser({
    onopentag(name) {
      depth.enter();
      if (SILENT.has(name)) silent++;
      else if (name === 'td' || name === 'th') sink.add('\t');
      else if (!INLINE.has(name)) sink.add('\n');
    },
    ontext(text) {
      if (silent === 0) sink.add(text.replaceAll(/\s+/g, ' '));
    },
    onclosetag(name) {
      depth.leave();
      if (SILENT.has(name)) silent--;
      else if (name !== 'td' && name !== 'th' && !INLINE.has(name)) sink.add('\n');
    },
  });
  const text = decoded(bytes);
  for (let at = 0; at < text.length; at += PART_CHARACTERS) {
    parser.write(text.slice(at, at + PART_CHARACTERS));
  }
  parser.end();
}

/** UTF-8, UTF-16 with its mark, or what Windows wrote before. Throws for what is no text. */
export function plainText(bytes: Uint8Array, sink: TextSink): void {
  sink.add(decoded(bytes));
}

function decoded(bytes: Uint8Array): string {
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
