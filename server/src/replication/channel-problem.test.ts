import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import {
  corrupt,
  epochDiffers,
  notAuthenticated,
  notRegistered,
  problemOf,
  statusOf,
  trimmed,
  unavailable,
} from './channel-problem.ts';

function across(error: unknown): Problem {
  return problemOf(Object.assign(new Error('a call failed'), statusOf(error)));
}

describe('a failure that crosses the channel', () => {
  it('is the same problem on the other side', () => {
    const problems = [
      unavailable('gone'),
      notAuthenticated(),
      notRegistered('unknown'),
      epochDiffers('another'),
      corrupt('turned'),
      trimmed('too late'),
      new Problem('log_trimmed', 'a trim has overtaken it'),
    ];
    for (const problem of problems) {
      const { code, message } = across(problem);
      expect(code).toBe(problem.code);
      expect(message).toContain(problem.message);
    }
  });

  it('tells nothing of what is inside the primary', () => {
    const inside = [
      new Problem('storage_failed', 'cannot read a secret file'),
      new Error('a secret'),
      'a secret',
    ];
    for (const error of inside) {
      const { code, message } = across(error);
      expect(code).toBe('replication_unavailable');
      expect(message).not.toContain('secret');
    }
  });

  it('that gRPC itself found is told by what it means for the replica', () => {
    const codeOf = (code: status): string => problemOf(Object.assign(new Error(''), { code })).code;
    expect(codeOf(status.UNAVAILABLE)).toBe('replication_unavailable');
    expect(codeOf(status.CANCELLED)).toBe('replication_unavailable');
    expect(codeOf(status.DEADLINE_EXCEEDED)).toBe('replication_unavailable');
    expect(codeOf(status.INTERNAL)).toBe('replication_corrupt');
    expect(codeOf(status.RESOURCE_EXHAUSTED)).toBe('replication_corrupt');
    expect(problemOf('nothing of gRPC').code).toBe('replication_unavailable');
  });
});
