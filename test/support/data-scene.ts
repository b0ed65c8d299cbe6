import type { Locator, Page } from 'playwright-core';
import { vi } from 'vitest';
import type { SignedInOptions, TestBrowser, TestPage } from './browser.ts';
import { PageRequests } from './page-requests.ts';
import { PASSWORD, People } from './people.ts';
import { LIBRARY_SCHEMA } from './workspace.ts';

export const PHONE = { width: 390, height: 800 };

/** The library as people see it who look at its nodes and change them. */
export class DataScene implements AsyncDisposable {
  readonly people: People;

  private constructor(people: People) {
    this.people = people;
  }

  /** With a user bob, who may write nothing, and the operations of an ingestion. */
  static async start(operations: readonly object[], schema: unknown = LIBRARY_SCHEMA) {
    const scene = new DataScene(await People.start());
    await scene.people.add('bob');
    await scene.ok('PUT', '/api/schema', schema);
    await scene.ok('POST', '/api/ingest', { operations });
    // A busy machine takes its time to start the first worker, and may end the first call.
    const call = { type: '_User', take: 1 };
    const table = () => scene.people.as('admin', 'POST', '/api/cce/system/table', call);
    // Before the first test there is no test that `expect.poll` could belong to.
    await vi.waitUntil(async () => (await table()).status < 500, { timeout: 60_000 });
    return scene;
  }

  /** A request of the administrator that succeeds. */
  async ok(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text, json } = await this.people.as('admin', method, path, body);
    if (status >= 400) throw new Error(`${path}: ${status} ${text}`);
    return json;
  }

  open(browser: TestBrowser, path: string, options: SignedInOptions = {}): Promise<TestPage> {
    const { userName } = options;
    const password = userName === undefined ? {} : { password: PASSWORD };
    return browser.signedInPage(this.people.workspace, { path, ...password, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.people[Symbol.asyncDispose]();
  }
}

export function book(key: string, fields: object): object {
  return { op: 'addOrUpdate', type: 'Book', key, fields };
}

/** What a task on a page takes: presses of the mouse, and what went wrong meanwhile. */
export class PageTask {
  readonly #page: Page;
  readonly #requests: PageRequests;
  readonly #complaints: readonly string[];

  private constructor({ page, complaints }: TestPage) {
    this.#page = page;
    this.#complaints = complaints;
    this.#requests = new PageRequests(page);
  }

  static async begin(opened: TestPage): Promise<PageTask> {
    const task = new PageTask(opened);
    // A key that presses a button is no press of the mouse.
    await opened.page.evaluate(
      `globalThis.presses = 0;
       addEventListener('pointerdown', () => globalThis.presses++, { capture: true });`,
    );
    return task;
  }

  /** How often the mouse was pressed, and the errors and failed requests, once all is settled. */
  async taken(): Promise<{ readonly clicks: unknown; readonly faults: readonly string[] }> {
    await this.#requests.settled();
    const clicks = await this.#page.evaluate('globalThis.presses');
    return { clicks, faults: [...this.#complaints, ...this.#requests.faults] };
  }
}

/** More than any page has to stop at. */
const STOPS_MAX = 200;

/** Presses Tab until an element has the focus, as somebody without a mouse does. */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.first().waitFor();
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    if (await wanted.first().evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${String(wanted)}`);
}
