import type { Page, Request } from 'playwright-core';

/** A browser without a screen may never be idle by itself while the machine is busy. */
const IDLE = 'new Promise((shown) => requestIdleCallback(shown, { timeout: 100 }))';

/** What a page asks for, and what went wrong with it. */
export class PageRequests {
  readonly #page: Page;
  readonly #open = new Set<Request>();
  readonly faults: string[] = [];

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => this.#open.add(request));
    page.on('response', (answer) => {
      this.#open.delete(answer.request());
      if (answer.status() >= 400) this.#add(answer.request(), String(answer.status()));
    });
    page.on('requestfailed', (request) => {
      this.#open.delete(request);
      const why = request.failure()?.errorText ?? '';
      // A page that is left takes back what it has asked for.
      if (why !== 'net::ERR_ABORTED') this.#add(request, why);
    });
  }

  /** Resolves when everything was answered, and the page has shown it. */
  async settled(): Promise<void> {
    for (let idle = 0; idle < 3;) {
      await this.#page.evaluate(IDLE);
      idle = this.#open.size === 0 ? idle + 1 : 0;
    }
  }

  #add(request: Request, why: string): void {
    this.faults.push(`${why}: ${request.method()} ${new URL(request.url()).pathname}`);
  }
}
