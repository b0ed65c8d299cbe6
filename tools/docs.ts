import { join, relative } from 'node:path';
import { buildSite } from './docs-site/build-site.ts';

/** `npm run docs`: the documentation as a folder of plain files, to be opened or served from anywhere. */
const folder = join(import.meta.dirname, '../dist/docs');
const pages = await buildSite(folder);
process.stdout.write(`${pages.length} pages in ${relative(process.cwd(), folder)}\n`);
