import { Problem } from '#base/problem.ts';
import type { NewToken, TokenRecord } from '@trellis/contract/shapes/token.ts';
import type { HttpServices } from '../services.ts';

/** Tokens in a list, in which there is one; their ids are their numbers in it. */
export function memoryTokens(): HttpServices['tokens'] {
  const records = [recordOf({ kind: 'interface', name: 'upload' })];
  return {
    list: (_caller, { kind, skip, take }) => {
      const all = records.filter((record) => kind === undefined || record.kind === kind);
      return { items: all.slice(skip, skip + take), total: all.length, skip, take };
    },
    create: async (_caller, token) => {
      const record = { ...recordOf(token), id: String(records.length) };
      records.push(record);
      return { ...record, token: 'h.c.s' };
    },
    revoke: async (_caller, id) => {
      const record = records[Number(id)];
      if (record === undefined) throw new Problem('token_not_found', 'There is no such token.');
      records[Number(id)] = { ...record, revoked: true };
    },
  };
}

function recordOf(token: NewToken): TokenRecord {
  return {
    id: '0',
    kind: token.kind,
    name: token.name,
    scopes: token.scopes ?? [],
    path: token.path ?? null,
    actingUser: token.actingUser ?? null,
    createdBy: '1111111111111111111111',
    createdAt: '2026-11-20T00:00:00.000Z',
    expiresAt: token.expiresAt ?? null,
    lastUsedAt: null,
    revoked: false,
  };
}
