import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

/** In the order of their imports. */
const MODULES = [
  'primordials.ts',
  'channel.ts',
  'remarks.ts',
  'references.ts',
  'search.ts',
  'fetch.ts',
  'ai.ts',
  'graph.ts',
  'query.ts',
  'reply.ts',
  'scope.ts',
  'calls.ts',
  'boot.ts',
];

/**
 * The guest's side of the bridge as one script whose value is the `GuestBridge`. A guest has no
 * module loader: so the modules of `../guest/` are put into one function, without their imports and
 * exports. Their names must differ for that.
 */
export function guestSource(): string {
  const modules = MODULES.map((name) => {
    const source = readFileSync(new URL(`../guest/${name}`, import.meta.url), 'utf8');
    return stripTypeScriptTypes(source)
      .replaceAll(/^import [^;]*;$/gm, '')
      .replaceAll(/^export (?=(?:async )?(?:abstract )?(?:class|const|function))/gm, '');
  });
  return `(() => { 'use strict';\n${modules.join('\n')}\nreturn bridge;\n})()`;
}
