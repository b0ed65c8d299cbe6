import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/**
 * Goes before the code of a file of the bundle: stack traces name the sources. Node's own
 * `--enable-source-maps` reads all maps at the start, which takes as long as the bundle saves; here
 * a map is read with the first trace that needs it.
 */
const BUNDLE = new URL('./', import.meta.url).href;
const maps = new Map<string, SourceMap | undefined>();

Error.prepareStackTrace = (error, frames) =>
  [headOf(error), ...frames.map((frame) => `    at ${namedPlace(String(frame))}`)].join('\n');

function headOf(error: Error): string {
  try {
    return String(error);
  } catch {
    return '<error>';
  }
}

/** `open (file:///.../server/dist/trellis.js:7:3)` */
function namedPlace(frame: string): string {
  const begin = frame.indexOf(BUNDLE);
  const [place = '', file = '', line, column] =
    begin < 0 ? [] : (/^([^\s:()]+):(\d+):(\d+)/.exec(frame.slice(begin + BUNDLE.length)) ?? []);
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (entry === undefined || !('originalSource' in entry)) return frame;
  const source = new URL(entry.originalSource, BUNDLE).href;
  const named = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  return frame.slice(0, begin) + named + frame.slice(begin + BUNDLE.length + place.length);
}

function mapOf(file: string): SourceMap | undefined {
  if (file === '') return undefined;
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

/** Undefined where there is none, or it may not be read: the trace then names the bundle. */
function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`, BUNDLE), 'utf8')));
  } catch {
    return undefined;
  }
}
