import type { Route } from './route.ts';
import { checkEndpoint } from './routes/endpoints/checkEndpoint.ts';
import { createEndpoint } from './routes/endpoints/createEndpoint.ts';
import { deleteEndpoint } from './routes/endpoints/deleteEndpoint.ts';
import { getEndpoint } from './routes/endpoints/getEndpoint.ts';
import { listEndpoints } from './routes/endpoints/listEndpoints.ts';
import { putEndpoint } from './routes/endpoints/putEndpoint.ts';
import { runEndpoint } from './routes/endpoints/runEndpoint.ts';
import { runEndpointAlias } from './routes/endpoints/runEndpointAlias.ts';
import { ingest } from './routes/ingest/ingest.ts';
import { changePassword } from './routes/login/changePassword.ts';
import { checkLogin } from './routes/login/checkLogin.ts';
import { createLogin } from './routes/login/createLogin.ts';
import { getSchema } from './routes/schema/getSchema.ts';
import { putSchema } from './routes/schema/putSchema.ts';
import { getAvailableStatus } from './routes/status/getAvailableStatus.ts';
import { getHealth } from './routes/status/getHealth.ts';
import { getReady } from './routes/status/getReady.ts';

/** The route of every operation of the contract, in its order; a test compares the two. */
export const routes: readonly Route[] = [
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
