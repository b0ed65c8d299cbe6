import { Parser } from 'htmlparser2';
import { Depth } from './depth.ts';
import { decoded } from './plain-text.ts';
import type { TextSink } from './text-sink.ts';

/** What is in them is not shown. */
const SILENT: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg']);
/** They run on in a line. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
const PART_CHARACTERS = 64 * 1024;

/** The text of a page, read as a stream of tags: nothing is built of them, however deep they stand in each other. */
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
