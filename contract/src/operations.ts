import type { Operation } from './operation.ts';
import {
  checkEndpoint,
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  putEndpoint,
  runEndpoint,
  runEndpointAlias,
} from './operations/endpoints.ts';
import { ingest } from './operations/ingest.ts';
import { changePassword, checkLogin, createLogin } from './operations/login.ts';
import { getSchema, putSchema } from './operations/schema.ts';
import { getAvailableStatus, getHealth, getReady } from './operations/status.ts';

/** The one table of operations: server, client, documentation and tests derive from it. */
export const operations: readonly Operation[] = [
  createLogin,
  checkLogin,
  changePassword,
  getSchema,
  putSchema,
  ingest,
  createEndpoint,
  listEndpoints,
  getEndpoint,
  putEndpoint,
  deleteEndpoint,
  checkEndpoint,
  runEndpoint,
  runEndpointAlias,
  getReady,
  getAvailableStatus,
  getHealth,
];
