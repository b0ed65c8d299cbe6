import { z } from 'zod';
import { uidText } from '../bounded-shapes.ts';
import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { LONG_BODY_BYTES_MAX } from '../request-limits.ts';
import {
  linkedEdges,
  manyNodesChange,
  manyNodesOutcome,
  newNode,
  nodeChange,
  nodeDeletion,
  nodeLinks,
  nodeMatch,
  nodeRecord,
  nodeRestoration,
  nodeTypes,
  writtenNode,
} from '../shapes/node-write.ts';

const params = z.object({ uid: uidText.min(1) });

const reads = { area: 'nodes', auth: 'session', onReplica: 'serve', errors: [] } as const;
/** Which types a user may write is for the access of types to say: see docs/data.md. */
const writes = { area: 'nodes', auth: 'session', onReplica: 'redirect' } as const;

const WRITE_ERRORS = ['invalid_operation', 'not_unique', ...CHANGE_ERRORS] as const;

/** Nodes as people read and write them, one by one. */
export const operations = withIds({
  listNodeTypes: {
    ...reads,
    sdk: 'nodes.listTypes',
    method: 'GET',
    path: '/api/node/types',
    responses: {
      200: {
        description: 'The types that the caller sees nodes of, or may write.',
        body: nodeTypes,
      },
    },
    summary: 'List the types of nodes, how many nodes each has, and which the caller may write.',
  },

  getNodeRecord: {
    ...reads,
    sdk: 'nodes.getRecord',
    method: 'GET',
    path: '/api/node/{uid}/record',
    params,
    responses: {
      200: { description: 'The node, its version, and what hangs on it.', body: nodeRecord },
    },
    errors: ['node_not_found'],
    summary: 'Read a node to change it, or to learn what a deletion would take along.',
  },

  createNode: {
    ...writes,
    sdk: 'nodes.create',
    method: 'POST',
    path: '/api/node',
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: newNode,
    responses: { 201: { description: 'The new node.', body: writtenNode } },
    errors: ['node_not_found', ...WRITE_ERRORS],
    summary: 'Create a node, with edges to others.',
  },

  updateNode: {
    ...writes,
    sdk: 'nodes.update',
    method: 'PATCH',
    path: '/api/node/{uid}',
    params,
    headers: nodeMatch,
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: nodeChange,
    responses: { 200: { description: 'The node as it is now.', body: writtenNode } },
    errors: ['node_not_found', ...WRITE_ERRORS],
    summary: 'Change some fields of a node.',
  },

  deleteNode: {
    ...writes,
    sdk: 'nodes.delete',
    method: 'DELETE',
    path: '/api/node/{uid}',
    params,
    query: nodeDeletion,
    headers: nodeMatch,
    responses: { 204: { description: 'It is deleted, with its edges and files.' } },
    errors: ['node_not_found', ...CHANGE_ERRORS],
    summary: 'Delete a node with its edges, files and history.',
  },

  changeNodeLinks: {
    ...writes,
    sdk: 'nodes.changeLinks',
    method: 'POST',
    path: '/api/node/{uid}/links',
    params,
    headers: nodeMatch,
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: nodeLinks,
    responses: { 200: { description: 'How many edges were changed.', body: linkedEdges } },
    errors: ['node_not_found', 'invalid_operation', ...CHANGE_ERRORS],
    summary: 'Add and remove edges of a node, all of them or none.',
  },

  restoreNode: {
    ...writes,
    sdk: 'nodes.restore',
    method: 'POST',
    path: '/api/node/{uid}/restore',
    params,
    headers: nodeMatch,
    body: nodeRestoration,
    responses: { 200: { description: 'The node as it is now.', body: writtenNode } },
    errors: ['node_not_found', 'node_version_not_found', ...WRITE_ERRORS],
    summary: 'Give a node the values of an earlier version, as a new version.',
  },

  changeManyNodes: {
    ...writes,
    sdk: 'nodes.changeMany',
    method: 'POST',
    path: '/api/node/bulk',
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: manyNodesChange,
    responses: { 200: { description: 'What became of each node.', body: manyNodesOutcome } },
    errors: ['node_not_found', ...STORE_ERRORS],
    summary: 'Delete, link, unlink or share many nodes, 1,000 in each commit.',
  },
} as const satisfies Rows);
