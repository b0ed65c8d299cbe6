import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import {
  connector,
  connectorAccess,
  connectorAccessQuery,
  connectorChange,
  connectorInPath,
  connectorRun,
  connectorRunRequest,
  connectorTest,
  connectorTestResult,
} from '../shapes/connector.ts';
import { jobWithLog } from '../shapes/job.ts';
import { listOf, pageQuery } from '../shapes/list.ts';

const reads = {
  area: 'connectors',
  auth: 'admin',
  scope: 'admin:connectors',
  onReplica: 'redirect',
} as const;
const writes = { ...reads, auth: 'admin-write' } as const;
const REFUSED = ['invalid_schedule', 'connector_address_not_allowed'] as const;

export const operations = withIds({
  listConnectors: {
    ...reads,
    sdk: 'connectors.list',
    method: 'GET',
    path: '/api/connectors',
    query: pageQuery,
    responses: { 200: { description: 'Connectors, by name.', body: listOf(connector) } },
    errors: [],
    summary: 'List the sources that the server brings into the workspace, and how that went last.',
  },

  createConnector: {
    ...writes,
    sdk: 'connectors.create',
    method: 'POST',
    path: '/api/connectors',
    body: connectorChange,
    responses: { 201: { description: 'The connector.', body: connector } },
    errors: ['connector_limit_reached', ...REFUSED, ...STORE_ERRORS],
    summary: 'Set up a source that the server brings into the workspace.',
  },

  testConnector: {
    ...writes,
    sdk: 'connectors.test',
    method: 'POST',
    path: '/api/connectors/test',
    body: connectorTest,
    responses: { 200: { description: 'What was found there.', body: connectorTestResult } },
    errors: [
      'connector_not_found',
      'connector_address_not_allowed',
      'connectors_busy',
      'task_interrupted',
      ...STORE_ERRORS,
    ],
    summary: 'Try to reach a source, without bringing anything.',
  },

  getConnector: {
    ...reads,
    sdk: 'connectors.get',
    method: 'GET',
    path: '/api/connectors/{id}',
    params: connectorInPath,
    responses: { 200: { description: 'The connector.', body: connector } },
    errors: ['connector_not_found'],
    summary: 'Get a connector, with its last run.',
  },

  updateConnector: {
    ...writes,
    sdk: 'connectors.update',
    method: 'PUT',
    path: '/api/connectors/{id}',
    params: connectorInPath,
    body: connectorChange,
    responses: { 200: { description: 'The connector as it is now.', body: connector } },
    errors: ['connector_not_found', ...REFUSED, ...CHANGE_ERRORS],
    summary: 'Replace the settings of a connector; a secret that is left out stays.',
  },

  deleteConnector: {
    ...writes,
    sdk: 'connectors.delete',
    method: 'DELETE',
    path: '/api/connectors/{id}',
    params: connectorInPath,
    responses: { 204: { description: 'It is gone; the nodes that it brought stay.' } },
    errors: ['connector_not_found', 'task_running', ...CHANGE_ERRORS],
    summary: 'Delete a connector that is not running, its secret, its memory and its runs.',
  },

  runConnector: {
    ...writes,
    sdk: 'connectors.run',
    method: 'POST',
    path: '/api/connectors/{id}/run',
    params: connectorInPath,
    body: connectorRunRequest,
    responses: { 202: { description: 'The job of the run, which goes on.', body: jobWithLog } },
    errors: ['connector_not_found', 'task_running', 'connectors_busy', ...STORE_ERRORS],
    summary: 'Bring what has changed in the source now.',
  },

  cancelConnectorRun: {
    ...writes,
    sdk: 'connectors.cancel',
    method: 'POST',
    path: '/api/connectors/{id}/cancel',
    params: connectorInPath,
    responses: {
      200: { description: 'The connector, whose run is told to end.', body: connector },
    },
    errors: ['connector_not_found'],
    summary: 'End the run that is under way; the next one goes on from what is committed.',
  },

  listConnectorRuns: {
    ...reads,
    sdk: 'connectors.runs',
    method: 'GET',
    path: '/api/connectors/{id}/runs',
    params: connectorInPath,
    query: pageQuery,
    responses: { 200: { description: 'Runs, the newest first.', body: listOf(connectorRun) } },
    errors: ['connector_not_found'],
    summary: 'List the last runs of a connector: what changed in each, and what was refused.',
  },

  listConnectorAccess: {
    ...reads,
    sdk: 'connectors.access',
    method: 'GET',
    path: '/api/connectors/{id}/access',
    params: connectorInPath,
    query: connectorAccessQuery,
    responses: {
      200: { description: 'What it brought, in the order it came.', body: listOf(connectorAccess) },
    },
    errors: [
      'connector_not_found',
      'task_running',
      'task_interrupted',
      'connectors_busy',
      'connector_failed',
    ],
    summary: 'Compare who may see what a connector brought at the source and here.',
  },
} as const satisfies Rows);
