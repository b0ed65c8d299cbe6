import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { healthReport, healthSummary } from '../shapes/health.ts';
import { replicaHealth } from '../shapes/replica.ts';

/** An administrator's token is not needed, but what is told without one is little. */
const health = z.union([healthReport, healthSummary]);

const reads = { area: 'status', auth: 'none', onReplica: 'serve' } as const;

export const operations = withIds({
  getReady: {
    ...reads,
    sdk: 'status.getReady',
    method: 'GET',
    path: '/api/graph/ready',
    responses: {
      200: { description: 'True once the graph is loaded, false before.', body: z.boolean() },
    },
    errors: [],
    summary: 'Tell whether the graph is loaded.',
  },

  getAvailableStatus: {
    ...reads,
    sdk: 'status.getAvailable',
    method: 'GET',
    path: '/api/available-status',
    responses: {
      200: {
        description: 'The graph is loaded.',
        body: z.literal('available'),
        contentType: 'text/plain',
      },
      503: {
        description: 'The graph is not loaded yet.',
        body: z.literal('not available'),
        contentType: 'text/plain',
      },
    },
    errors: [],
    summary: 'The check of a load balancer.',
  },

  getHealth: {
    ...reads,
    sdk: 'status.getHealth',
    method: 'GET',
    path: '/health',
    responses: {
      200: { description: 'The report of a ready server.', body: health },
      503: { description: 'The report of a server that is not ready.', body: health },
    },
    errors: [],
    summary:
      'Report whether memory, disk and the whole are well; to administrators also version, figures and each part of the server.',
  },

  getPrimaryHealth: {
    ...reads,
    method: 'GET',
    path: '/health/primary',
    responses: {
      200: {
        description: 'This server is the primary, and ready.',
        body: z.literal('primary'),
        contentType: 'text/plain',
        headers: ['X-MSK-Term'],
      },
      503: {
        description: 'It is not.',
        body: z.literal('not primary'),
        contentType: 'text/plain',
        headers: ['X-MSK-Term'],
      },
    },
    errors: [],
    summary: 'The check of a load balancer that looks for the primary.',
  },

  getReplicaHealth: {
    ...reads,
    sdk: 'replicas.getHealth',
    method: 'GET',
    path: '/health/replica',
    responses: {
      200: {
        description: 'The role, and on a primary that replicates the lag.',
        body: replicaHealth,
      },
    },
    errors: [],
    summary: 'Report the replicas and how far they are behind.',
  },
} as const satisfies Rows);
