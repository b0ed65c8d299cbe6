import { createRequire } from 'node:module';
import type { Plugin } from 'rolldown';

const MODULES = ['node:http', 'node:https'];
const PREFIX = '\0plain:';

/**
 * Node's `http` has a WebSocket that is loaded when it is asked for, with all of `fetch`; an import
 * asks for every name at once. So the bundle takes the module without that, and without its other
 * names that are made when they are read.
 */
export function httpPlugin(): Plugin {
  const require = createRequire(import.meta.url);
  return {
    name: 'http',
    resolveId: {
      filter: { id: new RegExp(`^(?:${MODULES.join('|')})$`) },
      handler: (id, _importer, { kind }) => (kind === 'require-call' ? null : `${PREFIX}${id}`),
    },
    load: {
      filter: { id: new RegExp(`^${PREFIX}`) },
      handler(id) {
        const name = id.slice(PREFIX.length);
        const members = Object.getOwnPropertyDescriptors(require(name));
        const names = Object.keys(members).filter((key) => members[key]?.get === undefined);
        return `const module = process.getBuiltinModule('${name}');\nexport const { ${names.join(', ')} } = module;\nexport default module;\n`;
      },
    },
  };
}
