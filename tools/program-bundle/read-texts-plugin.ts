import { join } from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * The module whose functions each put a text together out of many files, always the same one: each
 * endpoint worker asks for them.
 */
const TEXTS_MODULE = 'server/src/runtime/sandbox/script-sources.ts';

/**
 * Has the texts in the bundle instead of what makes them: a worker need not read 80 files, nor
 * strip types, at each start.
 */
export function readTextsPlugin(root: string): Plugin {
  return {
    name: 'read-texts',
    load: {
      filter: { id: join(root, TEXTS_MODULE) },
      async handler(id) {
        const makers: Record<string, () => string> = await import(id);
        return Object.entries(makers)
          .map(([name, make]) => textFunction(name, make()))
          .join('');
      },
    },
  };
}

function textFunction(name: string, text: string): string {
  return `export function ${name}() {\n  return ${JSON.stringify(text)};\n}\n`;
}
