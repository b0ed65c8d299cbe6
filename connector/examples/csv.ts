import { createReadStream } from 'node:fs';
import { bringTable, openTable } from '../src/kinds/csv.ts';
import { main } from './command-line.ts';

await main({
  name: 'csv',
  help: `A node for each row of a CSV file.

  node connector/examples/csv.ts --source people.csv --type Person --key Email
  node connector/examples/csv.ts --source https://example.org/prices.csv --type Price --key Sku

  --source         a file, or a URL; its first line names the columns
  --type TYPE      of the nodes
  --key COLUMN     that has the key of each node; of rows with the same key the last counts`,
  options: {
    source: { type: 'string', default: '' },
    type: { type: 'string', default: '' },
    key: { type: 'string', default: '' },
  },
  run: async (target, { source, type, key }) => {
    if (source === '' || type === '' || key === '') {
      throw new Error('--source, --type and --key are needed; see --help');
    }
    const { signal } = target;
    const content = /^https?:/.test(source)
      ? await openTable(source, { fetch, secret: undefined, signal })
      : createReadStream(source);
    const tell = (text: string): void => void process.stderr.write(`csv: ${text}\n`);
    return bringTable(content, { type, key }, { ...target, name: `csv ${source}` }, tell);
  },
});
