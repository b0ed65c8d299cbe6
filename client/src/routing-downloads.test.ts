import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Download } from './operation-methods.ts';
import { openScene } from './testing/replica-scene.ts';
import { listen } from './testing/scripted-server.ts';

const SELECTION = { uids: ['node-1'] };

/**
 * A healthy replica in a scene of its own, whose downloads have two parts, each sent when the test
 * says so.
 */
async function openDownload() {
  const scene = await openScene(0);
  const first = Promise.withResolvers<void>();
  const last = Promise.withResolvers<void>();
  const events = new EventEmitter<{ asked: []; checked: [] }>();
  let isSilent = false;
  const url = await listen(async (request, response) => {
    if (request.url === '/api/available-status') response.end('available');
    else if (request.url === '/health/replica') {
      if (!isSilent) response.end('{"isReplica":true}');
      events.emit('checked');
    } else {
      events.emit('asked');
      await first.promise;
      response.write('first,');
      await last.promise;
      response.end('last');
    }
  });
  scene.client.setReplicas(url);
  const fallSilent = () => (isSilent = true);
  return { scene, first, last, events, fallSilent };
}

const readerOf = (download: Download) => download.pipeThrough(new TextDecoderStream()).getReader();

describe('a download from a replica', () => {
  it('may take its time once it has begun', async () => {
    const { scene, first, last, fallSilent } = await openDownload();
    first.resolve();
    const reader = readerOf(await scene.client.nodes.downloadCsv(SELECTION));
    expect((await reader.read()).value).toBe('first,');
    fallSilent();
    scene.clock.advance(5_000);
    scene.clock.advance(3_000);
    await scene.checked();
    last.resolve();
    expect((await reader.read()).value).toBe('last');
  });

  it('outlives a check during which it began', async () => {
    const { scene, first, last, events, fallSilent } = await openDownload();
    const asked = once(events, 'asked');
    const downloading = scene.client.nodes.downloadCsv(SELECTION);
    await asked;
    fallSilent();
    const checked = once(events, 'checked');
    scene.clock.advance(5_000);
    await checked;
    first.resolve();
    const reader = readerOf(await downloading);
    expect((await reader.read()).value).toBe('first,');
    scene.clock.advance(3_000);
    await scene.checked();
    last.resolve();
    expect((await reader.read()).value).toBe('last');
  });

  it('ends with the signal', async () => {
    const { scene, first } = await openDownload();
    first.resolve();
    const controller = new AbortController();
    const { signal } = controller;
    const reader = readerOf(await scene.client.nodes.downloadCsv(SELECTION, {}, { signal }));
    await reader.read();
    controller.abort(new Error('enough'));
    await expect(reader.read()).rejects.toThrow('enough');
  });
});
