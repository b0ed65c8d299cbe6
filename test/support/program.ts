import { join } from 'node:path';

/**
 * What the tests start: the program as `npm start` runs it, which `build-program.ts` makes before
 * the tests, unless they are to prove another form of it, such as a package.
 */
export const PROGRAM =
  process.env['TRELLIS_TEST_PROGRAM'] ?? join(import.meta.dirname, '../../server/dist/trellis.js');
