import { createRequire } from 'node:module';

/**
 * `YY.M.build` (specification, section 9). Read when the program runs: a package has the number of
 * its build, which the sources that it was bundled of do not.
 */
export const VERSION: string = createRequire(import.meta.url)('../package.json').version;
