import { describe, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import { startPrimary } from './testing/cluster.ts';

const request = { text: 'a cat \u{1f408}\n', model: 'm' };

describe('a text that a replica wants embedded', () => {
  it('goes to the primary, whose vector comes back', async () => {
    const asked: object[] = [];
    await using primary = await startPrimary({
      embed: async (one) => {
        asked.push(one);
        return 'AACAPw==';
      },
    });
    using channel = await primary.connect();
    expect(await channel.embed(request)).toBe('AACAPw==');
    expect(asked).toEqual([request]);
  });

  it('comes back as the problem that the primary has with it, and the channel goes on', async () => {
    const problems = [
      new Problem('embeddings_not_configured', 'There is none.'),
      new Problem('embeddings_unavailable', 'Not now.', {
        hint: 'Later.',
        details: { retryAfterSeconds: 7 },
      }),
    ];
    await using primary = await startPrimary({ embed: () => Promise.reject(problems.shift()) });
    using channel = await primary.connect();
    await expect(channel.embed(request)).rejects.toMatchObject({
      code: 'embeddings_not_configured',
      message: 'There is none.',
    });
    await expect(channel.embed(request)).rejects.toMatchObject({
      code: 'embeddings_unavailable',
      hint: 'Later.',
      details: { retryAfterSeconds: 7 },
    });
    expect(primary.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  });

  it('is told nothing of what fails inside the primary', async () => {
    await using primary = await startPrimary({
      embed: () => Promise.reject(new Error('a secret place')),
    });
    using channel = await primary.connect();
    const error = await channel.embed(request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'replication_unavailable' });
    expect(String(error)).not.toContain('secret');
  });

  it('is not lost when the primary goes away', async () => {
    const asked = Promise.withResolvers<void>();
    await using primary = await startPrimary({
      embed: () => {
        asked.resolve();
        return Promise.withResolvers<string>().promise;
      },
    });
    using channel = await primary.connect();
    const waiting = channel.embed(request);
    waiting.catch(() => undefined);
    await asked.promise;
    channel[Symbol.dispose]();
    await expect(waiting).rejects.toMatchObject({ code: 'replication_unavailable' });
  });
});
