import { load } from './load.ts';

/**
 * `node read-client.ts <url of an endpoint>`, the token on standard input: prints what `load`
 * measures, as JSON.
 */
const [url = ''] = process.argv.slice(2);
process.stdin.setEncoding('utf8');
let token = '';
for await (const text of process.stdin) token += text;

const options = { url, token, body: { keys: ['n00001740'] }, connections: 8 };
await load({ ...options, seconds: 1 });
process.stdout.write(`${JSON.stringify(await load({ ...options, seconds: 3 }))}\n`);
