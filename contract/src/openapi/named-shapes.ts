import { z } from 'zod';
import { errorBody, oauthErrorBody, routerErrorBody, scimErrorBody } from '../errors.ts';
import { operations } from '../operations.ts';
import * as access from '../shapes/access.ts';
import * as adminAgent from '../shapes/admin-agent.ts';
import * as agent from '../shapes/agent.ts';
import * as assistant from '../shapes/assistant.ts';
import * as audit from '../shapes/audit.ts';
import * as backup from '../shapes/backup.ts';
import * as member from '../shapes/member.ts';
import * as migration from '../shapes/migration.ts';
import * as module from '../shapes/module.ts';
import * as packages from '../shapes/package.ts';
import * as task from '../shapes/task.ts';
import * as trigger from '../shapes/trigger.ts';
import * as webhook from '../shapes/webhook.ts';
import * as connector from '../shapes/connector.ts';
import * as build from '../shapes/build.ts';
import * as chat from '../shapes/chat.ts';
import * as codeHistory from '../shapes/code-history.ts';
import * as deepResearch from '../shapes/deep-research.ts';
import * as definitions from '../shapes/definitions.ts';
import * as deployment from '../shapes/deployment.ts';
import * as duplicate from '../shapes/duplicate.ts';
import * as embedding from '../shapes/embedding.ts';
import * as endpoint from '../shapes/endpoint.ts';
import * as endpointLog from '../shapes/endpoint-log.ts';
import * as callTrace from '../shapes/call-trace.ts';
import * as cpuProfile from '../shapes/cpu-profile.ts';
import * as endpointWork from '../shapes/endpoint-work.ts';
import * as extraction from '../shapes/extraction.ts';
import * as file from '../shapes/file.ts';
import * as graphExport from '../shapes/graph-export.ts';
import * as goldenAnswers from '../shapes/golden-answers.ts';
import * as graphOperation from '../shapes/graph-operation.ts';
import * as health from '../shapes/health.ts';
import * as interfaces from '../shapes/interface.ts';
import * as job from '../shapes/job.ts';
import * as llmBudget from '../shapes/llm-budget.ts';
import * as llm from '../shapes/llm.ts';
import * as log from '../shapes/log.ts';
import * as nodeWrite from '../shapes/node-write.ts';
import * as nodeReference from '../shapes/node-reference.ts';
import * as node from '../shapes/node.ts';
import * as oauth from '../shapes/oauth.ts';
import * as replica from '../shapes/replica.ts';
import * as schemaChange from '../shapes/schema-change.ts';
import * as schemaDocument from '../shapes/schema-document.ts';
import * as scim from '../shapes/scim.ts';
import * as search from '../shapes/search.ts';
import * as searchEvaluation from '../shapes/search-evaluation.ts';
import * as secret from '../shapes/secret.ts';
import * as sso from '../shapes/sso.ts';
import * as stats from '../shapes/stats.ts';
import * as support from '../shapes/support.ts';
import * as team from '../shapes/team.ts';
import * as token from '../shapes/token.ts';
import * as tool from '../shapes/tool.ts';
import * as user from '../shapes/user.ts';
import * as workspace from '../shapes/workspace.ts';

/** Every file of shapes; a test compares them with the folder. */
export const SHAPE_FILES = {
  access,
  'admin-agent': adminAgent,
  agent,
  assistant,
  audit,
  backup,
  build,
  chat,
  'code-history': codeHistory,
  'deep-research': deepResearch,
  definitions,
  deployment,
  duplicate,
  embedding,
  endpoint,
  'endpoint-log': endpointLog,
  'call-trace': callTrace,
  'cpu-profile': cpuProfile,
  'endpoint-work': endpointWork,
  extraction,
  file,
  'graph-export': graphExport,
  'golden-answers': goldenAnswers,
  'graph-operation': graphOperation,
  health,
  interface: interfaces,
  job,
  llm,
  'llm-budget': llmBudget,
  log,
  member,
  migration,
  module,
  package: packages,
  node,
  'node-reference': nodeReference,
  'node-write': nodeWrite,
  oauth,
  replica,
  'schema-change': schemaChange,
  'schema-document': schemaDocument,
  scim,
  search,
  'search-evaluation': searchEvaluation,
  secret,
  sso,
  stats,
  support,
  task,
  trigger,
  webhook,
  connector,
  team,
  token,
  tool,
  user,
  workspace,
} as const;

/** Texts and numbers say themselves what they are; a name would hide it. */
const NAMED_KINDS: readonly unknown[] = [
  z.ZodObject,
  z.ZodUnion,
  z.ZodDiscriminatedUnion,
  z.ZodEnum,
  z.ZodRecord,
];

/**
 * The shapes that have a name in the OpenAPI document, under the name of their export. That name is
 * part of what generated clients see: whoever renames an export renames a type of theirs. Throws
 * when two shapes would have one name.
 */
export function namedShapes(): ReadonlyMap<string, z.ZodType> {
  const named = new Map<string, z.ZodType>();
  // They become parameters, one by one.
  const seen = new Set<unknown>(
    operations.flatMap(({ params, query, headers }) => [params, query, headers]),
  );
  const modules = [
    { errorBody, oauthErrorBody, routerErrorBody, scimErrorBody },
    ...Object.values(SHAPE_FILES),
  ];
  for (const [exported, shape] of modules.flatMap((shapes) => Object.entries<unknown>(shapes))) {
    if (!isNamed(shape) || seen.has(shape)) continue;
    const name = exported.charAt(0).toUpperCase() + exported.slice(1);
    if (named.has(name)) throw new Error(`two shapes have the name ${name}`);
    named.set(name, shape);
    seen.add(shape);
  }
  return named;
}

function isNamed(shape: unknown): shape is z.ZodType {
  return shape instanceof z.ZodType && NAMED_KINDS.some((kind) => shape.constructor === kind);
}
