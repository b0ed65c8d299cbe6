import { join } from 'node:path';

/** What the tests start: the program of the repository, unless they are to prove another form of it, such as a package. */
export const PROGRAM =
  process.env['TRELLIS_TEST_PROGRAM'] ?? join(import.meta.dirname, '../../cli/src/main.ts');
