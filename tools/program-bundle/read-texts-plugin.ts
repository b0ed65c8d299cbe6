import { join } from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * Modules whose one function puts a text together out of many files, always the same one: each
 * endpoint worker asks for it.
 */
const TEXTS = [
  { file: 'server/src/runtime/sandbox/guest-source.ts', name: 'guestSource' },
  { file: 'server/src/runtime/sandbox/zod-source.ts', name: 'zodSource' },
];

/**
 * Has the texts in the bundle instead of what makes them: a worker need not read 80 files, nor
 * strip types, at each start.
 */
export function readTextsPlugin(root: string): Plugin {
  const texts = new Map(TEXTS.map(({ file, name }) => [join(root, file), name]));
  return {
    name: 'read-texts',
    load: {
      filter: { id: [...texts.keys()] },
      async handler(id) {
        const name = texts.get(id);
        if (name === undefined) return null;
        const { [name]: make }: Record<string, () => string> = await import(id);
        if (make === undefined) throw new Error(`${id} has no ${name}`);
        return `export function ${name}() {\n  return ${JSON.stringify(make())};\n}\n`;
      },
    },
  };
}
