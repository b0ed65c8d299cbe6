import { createHash } from 'node:crypto';
import { must } from '#base/assert.ts';
import type { FrontEndFile } from '../services.ts';

export const PAGE = '<!doctype html><title>x</title><script type="module" src="page.js"></script>';

export function file(text: string): FrontEndFile {
  const bytes = Buffer.from(text);
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex') };
}

/** Runs the inline scripts of a page, and gives the globals that they set. */
export function pageGlobals(html: string): { MSKREPLICAURLS?: unknown; MSKSERVERPATH?: unknown } {
  const script = must(/<script>([^]*?)<\/script>/.exec(html)?.[1], 'a script');
  const page: ReturnType<typeof pageGlobals> = {};
  new Function('globalThis', script)(page);
  return page;
}
