import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { must } from '#base/assert.ts';

/** The guest's modules, in the order of their imports. */
const GUEST_MODULES = [
  'primordials.ts',
  'channel.ts',
  'remarks.ts',
  'search.ts',
  'fetch.ts',
  'graph.ts',
  'query.ts',
  'reply.ts',
  'scope.ts',
  'body-shape.ts',
  'calls.ts',
  'boot.ts',
];

/**
 * The guest's side of the bridge as one script whose value is the `GuestBridge`. A guest has no
 * module loader: so the modules of `../guest/` are put into one function, without their imports and
 * exports. Their names must differ for that.
 */
export function guestSource(): string {
  const modules = GUEST_MODULES.map((name) => {
    const source = readFileSync(new URL(`../guest/${name}`, import.meta.url), 'utf8');
    return stripTypeScriptTypes(source)
      .replaceAll(/^import [^;]*;$/gm, '')
      .replaceAll(/^export (?=(?:async )?(?:abstract )?(?:class|const|function))/gm, '');
  });
  return `(() => { 'use strict';\n${modules.join('\n')}\nreturn bridge;\n})()`;
}

/** Messages in other languages than English: half of zod. */
const ZOD_LEFT_OUT = 'v4/locales/index.cjs';
const ZOD_ENTRY = 'v4/classic/external.cjs';

/** What a realm is given as `z`. */
export function zodVersion(): string {
  const require = createRequire(import.meta.url);
  return String(Object(require('zod/package.json')).version);
}

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
    if (path === ZOD_LEFT_OUT) return;
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
  collect(ZOD_ENTRY);
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
return require(${JSON.stringify(ZOD_ENTRY)});
})()`;
}
