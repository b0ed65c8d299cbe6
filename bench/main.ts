import { benchAccess } from './access.ts';
import { benchBackup } from './backup.ts';
import { benchConnections } from './connections.ts';
import { benchCopy } from './copy.ts';
import { benchDataTable } from './data-table.ts';
import { benchDownloads } from './downloads.ts';
import { benchEndpointChanges } from './endpoint-changes.ts';
import { benchEndpoints } from './endpoints.ts';
import { benchFrontEnd } from './front-end.ts';
import { benchGraph } from './graph.ts';
import { benchGrowth } from './growth.ts';
import { benchHttp } from './http.ts';
import { benchImport } from './import.ts';
import { benchIndexes } from './indexes.ts';
import { benchLlm } from './llm.ts';
import { benchMembers } from './members.ts';
import { benchTakeovers } from './takeovers.ts';
import { benchReplication } from './replication.ts';
import { Report } from './report.ts';
import { benchSearch } from './search.ts';
import { benchTokens } from './tokens.ts';
import { benchTransactions } from './transactions.ts';
import { benchVectors } from './vectors.ts';
import { benchWatches } from './watches.ts';
import { benchWebhooks } from './webhooks.ts';

/**
 * `npm run bench` measures ours, the bare alternative and peers side by side;
 * `npm run bench -- graph` only a section.
 */
const SECTIONS: Readonly<Record<string, (report: Report) => Promise<void>>> = {
  graph: benchGraph,
  connections: benchConnections,
  indexes: benchIndexes,
  'data-table': benchDataTable,
  import: benchImport,
  growth: benchGrowth,
  http: benchHttp,
  downloads: benchDownloads,
  endpoints: benchEndpoints,
  'endpoint-changes': benchEndpointChanges,
  transactions: benchTransactions,
  watches: benchWatches,
  webhooks: benchWebhooks,
  tokens: benchTokens,
  access: benchAccess,
  replication: benchReplication,
  members: benchMembers,
  takeovers: benchTakeovers,
  copy: benchCopy,
  backup: benchBackup,
  vectors: benchVectors,
  search: benchSearch,
  llm: benchLlm,
  'front-end': benchFrontEnd,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => SECTIONS[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(
    `no such section: ${unknown.join(', ')}; there are ${Object.keys(SECTIONS).join(', ')}\n`,
  );
  process.exitCode = 2;
} else {
  const report = new Report();
  for (const [name, run] of Object.entries(SECTIONS)) {
    if (wanted.length === 0 || wanted.includes(name)) await run(report);
  }
  report.finish();
}
