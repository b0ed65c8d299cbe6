import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { must } from '#base/assert.ts';

/** Messages in other languages than English: half of the package's text. */
const LEFT_OUT = 'v4/locales/index.cjs';
const ENTRY = 'v4/classic/external.cjs';

/**
 * zod as one script whose value is `z`, for realms without a module loader: the package's own
 * files, each in a function as CommonJS has it, found along what they require of one another. In a
 * realm that makes no code from text zod finds so itself, and interprets its schemas.
 */
export function zodSource(): string {
  const root = dirname(createRequire(import.meta.url).resolve('zod/package.json'));
  const modules = new Map<string, string>();
  const collect = (path: string): void => {
    if (modules.has(path)) return;
    modules.set(path, '');
    if (path === LEFT_OUT) return;
    const source = readFileSync(join(root, path), 'utf8').replaceAll(
      /\brequire\("([^"]+)"\)/g,
      (_call, name: string) => {
        const required = join(dirname(path), name);
        collect(required);
        return `require(${JSON.stringify(required)})`;
      },
    );
    modules.set(path, source);
  };
  collect(ENTRY);
  const members = [...modules.keys()].map((path) => {
    const source = must(modules.get(path), 'a module that was collected');
    return `${JSON.stringify(path)}(module, exports, require) {\n${source}\n}`;
  });
  return `(() => {
'use strict';
const modules = {\n${members.join(',\n')}\n};
const loaded = {};
function require(path) {
  if (loaded[path] === undefined) {
    loaded[path] = { exports: {} };
    modules[path](loaded[path], loaded[path].exports, require);
  }
  return loaded[path].exports;
}
return require(${JSON.stringify(ENTRY)});
})()`;
}
