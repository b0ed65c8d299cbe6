import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Generators of clients write TypeScript with the interface of the compiler that its version 5 had.
 * They get the one that another generator brings along, in the place of ours.
 */
const parentURL = pathToFileURL(createRequire(import.meta.url).resolve('oazapfts')).href;
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'typescript' ? { ...context, parentURL } : context),
});
