import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DigestFolder } from './digest-folder.ts';
import { FrontEndCache } from './front-end-cache.ts';
import { frontEndFile, type FrontEndFiles, ServedFrontEnd } from './front-end-files.ts';
import { manifestOf } from './front-end-manifest.ts';
import { FrontEndSync } from './replica-front-end.ts';

function filesOf(texts: Readonly<Record<string, string>>): FrontEndFiles {
  return new Map(
    Object.entries(texts).map(([path, text]) => [path, frontEndFile(Buffer.from(text))]),
  );
}

const FIRST = { '/index.html': 'first', '/a.js': 'a', '/same.js': 'a', '/empty.txt': '' };

/** A primary with a front end, and a replica that follows it. */
class Scene {
  primary = filesOf(FIRST);
  /** The primary's as well. */
  interfaces: readonly FrontEndFiles[] = [];
  readonly served = new ServedFrontEnd(filesOf({ '/index.html': 'built in' }), () => '');
  readonly fetched: string[][] = [];
  readonly failures: unknown[] = [];
  changes = 0;
  onFetch: () => void | Promise<void> = () => undefined;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** As after a restart of the replica. */
  sync(): FrontEndSync {
    return new FrontEndSync({
      cache: new FrontEndCache(new DigestFolder(this.#folder), (digests) => this.#fetch(digests)),
      served: this.served,
      manifest: () => manifestOf(this.primary),
      interfaces: () => this.interfaces.map(manifestOf),
      onChanged: () => this.changes++,
      onFailed: (error) => this.failures.push(error),
    });
  }

  shows(path: string): string | undefined {
    return this.served.file(path)?.bytes.toString();
  }

  /** What was fetched last, by its content. */
  lastFetched(): string[] {
    return must(this.fetched.at(-1), 'a fetch').toSorted();
  }

  async #fetch(digests: readonly string[]): Promise<Uint8Array[]> {
    const files = [this.primary, ...this.interfaces].flatMap((all) => [...all.values()]);
    const found = digests.map((digest) => files.find((file) => file.digest === digest));
    await this.onFetch();
    this.fetched.push(found.map((file) => must(file, 'a file').bytes.toString()));
    return found.map((file) => Uint8Array.from(must(file, 'a file').bytes));
  }
}

let folder: string;
let scene: Scene;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trellis-front-end-'));
  scene = new Scene(join(folder, 'front-end'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the front end of a replica', () => {
  it('becomes that of the primary, each content fetched once', async () => {
    await scene.sync().begin();
    expect(scene.lastFetched()).toEqual(['', 'a', 'first']);
    for (const [path, text] of Object.entries(FIRST)) expect(scene.shows(path)).toBe(text);
    expect(scene.changes).toBe(0);
  });

  it('after a restart fetches pages again and nothing else', async () => {
    await scene.sync().begin();
    await scene.sync().begin();
    expect(scene.lastFetched()).toEqual(['first']);
    expect(scene.shows('/a.js')).toBe('a');
  });

  it('fetches again what was damaged on the disk', async () => {
    await scene.sync().begin();
    const { digest } = must(scene.primary.get('/a.js'), 'a file');
    await truncate(join(folder, 'front-end', digest));
    await writeFile(join(folder, 'front-end', `${digest}.new`), 'half');
    const sync = scene.sync();
    await sync.begin();
    await sync.settled();
    expect(scene.lastFetched()).toEqual(['a', 'first']);
    expect(scene.shows('/a.js')).toBe('a');
    expect(await readdir(join(folder, 'front-end'))).toHaveLength(3);
  });

  it('follows a change: fetches what is new, and forgets what is gone', async () => {
    const sync = scene.sync();
    await sync.begin();
    scene.primary = filesOf({ '/index.html': 'second', '/same.js': 'a', '/b.js': 'b' });
    sync.refresh();
    await sync.settled();
    expect(scene.lastFetched()).toEqual(['b', 'second']);
    expect([scene.shows('/index.html'), scene.shows('/b.js')]).toEqual(['second', 'b']);
    expect(scene.shows('/a.js')).toBeUndefined();
    expect(scene.changes).toBe(1);
    expect(await readdir(join(folder, 'front-end'))).toHaveLength(3);
  });

  it('asks for nothing while nothing changes', async () => {
    const sync = scene.sync();
    await sync.begin();
    for (let i = 0; i < 3; i++) sync.refresh();
    await sync.settled();
    expect([scene.fetched.length, scene.changes]).toEqual([1, 0]);
  });

  it('ends with the last of changes that come while one is under way', async () => {
    const sync = scene.sync();
    await sync.begin();
    scene.onFetch = () => {
      scene.onFetch = () => undefined;
      scene.primary = filesOf({ ...FIRST, '/index.html': 'third' });
      sync.refresh();
    };
    scene.primary = filesOf({ ...FIRST, '/index.html': 'second' });
    sync.refresh();
    await sync.settled();
    expect(scene.shows('/index.html')).toBe('third');
    expect(scene.failures).toEqual([]);
  });

  it('stays as it was when the primary cannot be asked, and is tried again', async () => {
    const sync = scene.sync();
    await sync.begin();
    const gone = new Problem('replication_unavailable', 'gone');
    scene.primary = filesOf({ '/index.html': 'second', '/b.js': 'b' });
    scene.onFetch = () => Promise.reject(gone);
    sync.refresh();
    await sync.settled();
    expect(scene.failures).toEqual([gone]);
    expect([scene.shows('/index.html'), scene.shows('/a.js')]).toEqual(['first', 'a']);
    scene.onFetch = () => undefined;
    sync.refresh();
    await sync.settled();
    expect(scene.shows('/index.html')).toBe('second');
    expect(scene.changes).toBe(1);
  });

  it('has the interfaces that may be chosen as well, as this replica may become a primary', async () => {
    const other = filesOf({ '/index.html': 'other', '/same.js': 'a' });
    scene.interfaces = [other];
    const sync = scene.sync();
    await sync.begin();
    await sync.settled();
    expect(scene.lastFetched(), 'beside what is served').toEqual(['other']);
    expect(scene.shows('/index.html')).toBe('first');
    scene.primary = other;
    sync.refresh();
    await sync.settled();
    expect(scene.shows('/index.html')).toBe('other');
    scene.interfaces = [];
    scene.primary = filesOf(FIRST);
    sync.refresh();
    await sync.settled();
    expect(await readdir(join(folder, 'front-end'))).toHaveLength(3);
  });

  it('serves on while an interface that is not served cannot be had, and has it later', async () => {
    const sync = scene.sync();
    scene.interfaces = [filesOf({ '/index.html': 'other' })];
    const lost = new Problem('replication_unavailable', 'no such file');
    scene.onFetch = () => {
      scene.onFetch = () => Promise.reject(lost);
    };
    await sync.begin();
    await sync.settled();
    expect([scene.shows('/index.html'), scene.failures]).toEqual(['first', [lost]]);
    scene.onFetch = () => undefined;
    sync.refresh();
    await sync.settled();
    expect(scene.lastFetched()).toEqual(['other']);
    expect(scene.changes).toBe(0);
  });

  it('cannot begin without the primary, nor with other bytes than were asked for', async () => {
    scene.onFetch = () => Promise.reject(new Problem('replication_unavailable', 'gone'));
    await expect(scene.sync().begin()).rejects.toMatchObject({ code: 'replication_unavailable' });
    scene.onFetch = () => undefined;
    const kept = new DigestFolder(join(folder, 'front-end'));
    const cache = new FrontEndCache(kept, async (digests) =>
      digests.map(() => Buffer.from('evil')),
    );
    await expect(cache.load(manifestOf(scene.primary))).rejects.toMatchObject({
      code: 'replication_corrupt',
    });
    expect(await readdir(folder)).toEqual([]);
  });
});
