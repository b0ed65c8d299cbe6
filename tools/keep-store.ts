import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HttpClient } from '../test/support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../test/support/trellis-process.ts';
import { fillWorkspace, readWorkspace } from '../test/upgrade/kept-workspace.ts';

/**
 * Keeps what a release writes, for all later ones to open:
 * `npm run keep-store -- 26.12.1 [program]`. The program is that of this checkout, or of another
 * one; a name that ends with "-encrypted" is that of an encrypted store. The archive has the
 * storage folder, and what the release said of it.
 */
const [name, program = resolve(import.meta.dirname, '../cli/src/main.ts')] = process.argv.slice(2);
if (name === undefined) throw new Error('a name is needed, such as 26.11.0');

await using folder = await temporaryFolder();
const storage = join(folder.path, 'store');
const env = name.endsWith('-encrypted') ? { MSK_GRAPH_MASTER_KEY: 'the key of kept stores' } : {};
const server = await TrellisProcess.start({ storage, program, env });
const http = new HttpClient(server.url);
const token = await http.signIn();
const refused = await fillWorkspace(http, token);
const said = await readWorkspace(http, token);
await server.stop();
writeFileSync(join(folder.path, 'said.json'), `${JSON.stringify(said, null, 2)}\n`);
const archive = resolve(import.meta.dirname, '../test/upgrade/stores', `${name}.tar.gz`);
execFileSync('tar', ['-czSf', archive, '-C', folder.path, 'store', 'said.json']);
process.stdout.write(`${archive}\nnot known to it: ${refused.join(', ') || 'nothing'}\n`);
