import { answer, listen, readSeen } from '@trellis/client/testing/scripted-server.ts';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';

type Reference = Extract<GraphOperation, { op: 'link' }>['from'];

/** What a workspace does with what connectors send, in a few lines: nodes and edges as texts. */
export class ModelWorkspace {
  readonly nodes = new Map<string, unknown>();
  readonly edges = new Set<string>();
  readonly commits: (readonly GraphOperation[])[] = [];
  sequence = 1;
  /**
   * Asked before each commit. `lost` does it, and breaks off the connection before the answer;
   * `crash` does it, and answers in a way that ends the run.
   */
  fault: () => 'refused' | 'lost' | 'crash' | 'none' = () => 'none';
  /** What makes an operation invalid. */
  isInvalid: (operation: GraphOperation) => boolean = () => false;

  /** Until the test ends. */
  async start(): Promise<TrellisClient> {
    const baseUrl = await listen(async (request, response) => {
      const { url, body } = await readSeen(request);
      const headers = { 'x-msk-sequence': String(this.sequence) };
      if (url === '/api/schema') return answer(response, { headers, body });
      const { operations }: { operations: GraphOperation[] } = JSON.parse(body);
      const fault = this.fault();
      if (fault === 'refused') return answer(response, { status: 400, body: problem('refused') });
      const index = operations.findIndex((operation) => this.isInvalid(operation));
      if (index !== -1) {
        const details = { index };
        return answer(response, { status: 422, body: problem('invalid_operation', details) });
      }
      for (const operation of operations) this.#apply(operation);
      this.commits.push(operations);
      this.sequence++;
      if (fault === 'crash') return answer(response, { status: 500, body: problem('internal') });
      const { sequence } = this;
      const summary = { nodes: 0, created: 0, edges: 0, splits: 0, commits: 1, sequence };
      return answer(response, { reset: fault === 'lost', body: summary });
    });
    return new TrellisClient({ baseUrl, retry: { pauseMs: 1 } });
  }

  /** The operations of all commits. */
  get operations(): GraphOperation[] {
    return this.commits.flat();
  }

  #apply(operation: GraphOperation): void {
    switch (operation.op) {
      case 'addOrUpdate':
        this.nodes.set(nodeName(operation), operation.fields);
        break;
      case 'tryAdd':
        if (!this.nodes.has(nodeName(operation))) {
          this.nodes.set(nodeName(operation), operation.fields);
        }
        break;
      case 'delete':
        this.#delete(nodeName(operation));
        break;
      case 'link':
        this.edges.add(edgeName(operation));
        break;
      case 'unlink':
        this.edges.delete(edgeName(operation));
        break;
      default:
    }
  }

  #delete(node: string): void {
    this.nodes.delete(node);
    for (const edge of this.edges) if (edge.split(' ').includes(node)) this.edges.delete(edge);
  }
}

function nodeName({ type, key }: { type?: string | undefined; key?: string | undefined }): string {
  return `${type}:${key}`;
}

function edgeName(link: { from: Reference; edge: string; to: Reference }): string {
  return [link.from, link.to]
    .map((end) => nodeName('type' in end ? end : {}))
    .join(` ${link.edge} `);
}

function problem(code: string, details?: object) {
  return { error: { code, message: `no: ${code}`, details } };
}
