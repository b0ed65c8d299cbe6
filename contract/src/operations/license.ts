import { withIds, type Rows } from '../operation.ts';
import { licenseReport } from '../shapes/workspace.ts';

export const operations = withIds({
  /** Each server is started with a license of its own, so this belongs to the area "stats". */
  getLicense: {
    sdk: 'workspace.getLicense',
    area: 'stats',
    method: 'GET',
    path: '/api/license',
    auth: 'admin',
    responses: { 200: { description: 'The license of this server.', body: licenseReport } },
    errors: [],
    onReplica: 'serve',
    summary: 'Tell what the license of this server allows, and whether it is good.',
  },
} as const satisfies Rows);
