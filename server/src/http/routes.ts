import { operations, type OperationId } from '@trellis/contract/operations.ts';
import type { Route } from './route.ts';
import { accessRoutes } from './routes/access.ts';
import { adminAgentRoutes } from './routes/admin-agent.ts';
import { agentsRoutes } from './routes/agents.ts';
import { apiDocumentRoutes } from './routes/api-document.ts';
import { assistantRoutes } from './routes/assistant.ts';
import { auditRoutes } from './routes/audit.ts';
import { backupsRoutes } from './routes/backups.ts';
import { buildRoutes } from './routes/build.ts';
import { chatRoutes } from './routes/chat.ts';
import { codeHistoryRoutes } from './routes/code-history.ts';
import { dataRoutes } from './routes/data.ts';
import { deepResearchRoutes } from './routes/deep-research.ts';
import { definitionsRoutes } from './routes/definitions.ts';
import { deploymentsRoutes } from './routes/deployments.ts';
import { documentsRoutes } from './routes/documents.ts';
import { duplicatesRoutes } from './routes/duplicates.ts';
import { embeddingsRoutes } from './routes/embeddings.ts';
import { endpointLogRoutes } from './routes/endpoint-log.ts';
import { endpointsRoutes } from './routes/endpoints.ts';
import { filesRoutes } from './routes/files.ts';
import { goldenAnswerRoutes } from './routes/golden-answers.ts';
import { teamsRoutes } from './routes/teams.ts';
import { ingestRoutes } from './routes/ingest.ts';
import { interfacesRoutes } from './routes/interfaces.ts';
import { jobsRoutes } from './routes/jobs.ts';
import { licenseRoutes } from './routes/license.ts';
import { llmRoutes } from './routes/llm.ts';
import { loginRoutes } from './routes/login.ts';
import { logsRoutes } from './routes/logs.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { migrationsRoutes } from './routes/migrations.ts';
import { modulesRoutes } from './routes/modules.ts';
import { nodesRoutes } from './routes/nodes.ts';
import { oauthRoutes } from './routes/oauth.ts';
import { replicasRoutes } from './routes/replicas.ts';
import { scimRoutes } from './routes/scim.ts';
import { schemaRoutes } from './routes/schema.ts';
import { searchRoutes } from './routes/search.ts';
import { searchEvaluationRoutes } from './routes/search-evaluation.ts';
import { secretsRoutes } from './routes/secrets.ts';
import { ssoRoutes } from './routes/sso.ts';
import { statsRoutes } from './routes/stats.ts';
import { statusRoutes } from './routes/status.ts';
import { tasksRoutes } from './routes/tasks.ts';
import { triggersRoutes } from './routes/triggers.ts';
import { connectorsRoutes } from './routes/connectors.ts';
import { webhooksRoutes } from './routes/webhooks.ts';
import { tokensRoutes } from './routes/tokens.ts';
import { toolsRoutes } from './routes/tools.ts';
import { usersRoutes } from './routes/users.ts';
import { workspaceRoutes } from './routes/workspace.ts';

const byId: Readonly<Record<OperationId, Route>> = {
  ...accessRoutes,
  ...adminAgentRoutes,
  ...agentsRoutes,
  ...apiDocumentRoutes,
  ...assistantRoutes,
  ...auditRoutes,
  ...backupsRoutes,
  ...buildRoutes,
  ...chatRoutes,
  ...codeHistoryRoutes,
  ...dataRoutes,
  ...deepResearchRoutes,
  ...definitionsRoutes,
  ...deploymentsRoutes,
  ...documentsRoutes,
  ...duplicatesRoutes,
  ...embeddingsRoutes,
  ...endpointLogRoutes,
  ...endpointsRoutes,
  ...filesRoutes,
  ...goldenAnswerRoutes,
  ...teamsRoutes,
  ...ingestRoutes,
  ...interfacesRoutes,
  ...jobsRoutes,
  ...licenseRoutes,
  ...llmRoutes,
  ...loginRoutes,
  ...logsRoutes,
  ...mcpRoutes,
  ...migrationsRoutes,
  ...modulesRoutes,
  ...nodesRoutes,
  ...oauthRoutes,
  ...replicasRoutes,
  ...schemaRoutes,
  ...scimRoutes,
  ...searchRoutes,
  ...searchEvaluationRoutes,
  ...ssoRoutes,
  ...statsRoutes,
  ...statusRoutes,
  ...tasksRoutes,
  ...triggersRoutes,
  ...webhooksRoutes,
  ...connectorsRoutes,
  ...tokensRoutes,
  ...secretsRoutes,
  ...toolsRoutes,
  ...usersRoutes,
  ...workspaceRoutes,
};

/** The route of every operation of the contract, in its order. */
export const routes: readonly Route[] = operations.map(({ id }) => byId[id]);
