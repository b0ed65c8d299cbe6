import { z } from 'zod';
import { CHANGE_ERRORS, type Rows, withIds } from '../operation.ts';
import { rollbackQuery } from '../shapes/definitions.ts';
import { deployment, deploymentDetails } from '../shapes/deployment.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import { uidText } from '../bounded-shapes.ts';

const deploymentInPath = z.object({ id: uidText.min(1) });

export const operations = withIds({
  listDeployments: {
    sdk: 'deployments.list',
    area: 'workspace',
    method: 'GET',
    path: '/api/deployments',
    auth: 'admin',
    query: pageQuery,
    responses: {
      200: { description: 'Those that are kept, newest first.', body: listOf(deployment) },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'List the states of the definitions that can be brought back, and who made them.',
  },

  getDeployment: {
    sdk: 'deployments.get',
    area: 'workspace',
    method: 'GET',
    path: '/api/deployments/{id}',
    auth: 'admin',
    params: deploymentInPath,
    responses: { 200: { description: 'With what was changed.', body: deploymentDetails } },
    errors: ['deployment_not_found'],
    onReplica: 'serve',
    summary: 'Read one deployment: who made it, when, and what it changed.',
  },

  /** Server-Sent Events, as those of `importDefinitions`. */
  rollBackDeployment: {
    sdk: 'deployments.rollBack',
    area: 'workspace',
    method: 'POST',
    path: '/api/deployments/{id}/rollback',
    auth: 'admin-write',
    params: deploymentInPath,
    query: rollbackQuery,
    responses: {
      200: {
        description: 'Events until all is done.',
        body: z.string(),
        contentType: 'text/event-stream',
      },
    },
    errors: ['deployment_not_found', 'import_running', ...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary: 'Make the definitions what they were after a deployment, as a new one.',
  },
} as const satisfies Rows);
