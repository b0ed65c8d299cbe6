import type { Operation } from './operation.ts';
import { operations as access } from './operations/access.ts';
import { operations as adminAgent } from './operations/admin-agent.ts';
import { operations as agents } from './operations/agents.ts';
import { operations as apiDocument } from './operations/api-document.ts';
import { operations as assistant } from './operations/assistant.ts';
import { operations as audit } from './operations/audit.ts';
import { operations as backups } from './operations/backups.ts';
import { operations as build } from './operations/build.ts';
import { operations as chat } from './operations/chat.ts';
import { operations as codeHistory } from './operations/code-history.ts';
import { operations as data } from './operations/data.ts';
import { operations as deepResearch } from './operations/deep-research.ts';
import { operations as definitions } from './operations/definitions.ts';
import { operations as deployments } from './operations/deployments.ts';
import { operations as documents } from './operations/documents.ts';
import { operations as duplicates } from './operations/duplicates.ts';
import { operations as embeddings } from './operations/embeddings.ts';
import { operations as endpointLog } from './operations/endpoint-log.ts';
import { operations as endpoints } from './operations/endpoints.ts';
import { operations as files } from './operations/files.ts';
import { operations as goldenAnswers } from './operations/golden-answers.ts';
import { operations as scim } from './operations/scim.ts';
import { operations as teams } from './operations/teams.ts';
import { operations as ingest } from './operations/ingest.ts';
import { operations as interfaces } from './operations/interfaces.ts';
import { operations as jobs } from './operations/jobs.ts';
import { operations as license } from './operations/license.ts';
import { operations as llm } from './operations/llm.ts';
import { operations as login } from './operations/login.ts';
import { operations as logs } from './operations/logs.ts';
import { operations as mcp } from './operations/mcp.ts';
import { operations as migrations } from './operations/migrations.ts';
import { operations as modules } from './operations/modules.ts';
import { operations as nodes } from './operations/nodes.ts';
import { operations as oauth } from './operations/oauth.ts';
import { operations as replicas } from './operations/replicas.ts';
import { operations as schema } from './operations/schema.ts';
import { operations as search } from './operations/search.ts';
import { operations as searchEvaluation } from './operations/search-evaluation.ts';
import { operations as secrets } from './operations/secrets.ts';
import { operations as sso } from './operations/sso.ts';
import { operations as stats } from './operations/stats.ts';
import { operations as status } from './operations/status.ts';
import { operations as tasks } from './operations/tasks.ts';
import { operations as triggers } from './operations/triggers.ts';
import { operations as connectors } from './operations/connectors.ts';
import { operations as webhooks } from './operations/webhooks.ts';
import { operations as tokens } from './operations/tokens.ts';
import { operations as tools } from './operations/tools.ts';
import { operations as users } from './operations/users.ts';
import { operations as workspace } from './operations/workspace.ts';

/** The rows by file, in the order of a reader, which the OpenAPI document keeps. */
const tables = [
  login,
  users,
  teams,
  scim,
  audit,
  access,
  workspace,
  interfaces,
  apiDocument,
  definitions,
  deployments,
  tokens,
  schema,
  ingest,
  nodes,
  data,
  files,
  endpoints,
  modules,
  build,
  codeHistory,
  endpointLog,
  secrets,
  stats,
  license,
  jobs,
  backups,
  tasks,
  triggers,
  webhooks,
  connectors,
  migrations,
  logs,
  searchEvaluation,
  search,
  duplicates,
  documents,
  embeddings,
  mcp,
  oauth,
  tools,
  agents,
  chat,
  deepResearch,
  goldenAnswers,
  assistant,
  adminAgent,
  llm,
  sso,
  status,
  replicas,
] as const;

type RowOf<Table> = Table extends unknown ? Table[keyof Table] : never;
type Row = RowOf<(typeof tables)[number]>;
export type OperationId = Row['id'];
export type OperationOf<Id extends OperationId> = Extract<Row, { readonly id: Id }>;

/** The rows by the names of their methods in the SDK, such as `tasks.list`. */
export type OperationsInSdk = {
  readonly [R in Extract<Row, { readonly sdk: string }> as R['sdk']]: R;
};

/** The one table of operations: server, client, documentation and tests derive from it. */
export const operations: readonly (Operation & { readonly id: OperationId })[] = tables.flatMap(
  (table): readonly Row[] => Object.values(table),
);
