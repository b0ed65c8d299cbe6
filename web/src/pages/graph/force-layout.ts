import type { LayoutAnswer, LayoutRequest, LayoutStart } from './layout-messages.ts';

interface LayoutRun {
  /** Called at most once a frame; the positions are only good during the call. */
  readonly onPositions: (positions: Float32Array<ArrayBuffer>) => void;
  readonly onSettled: () => void;
}

/** The force layout in a worker of its own, of which at most one runs. */
export class ForceLayout {
  #worker: Worker | undefined;

  /** Starts again, whatever ran before. */
  start(graph: LayoutStart, { onPositions, onSettled }: LayoutRun): void {
    this.stop();
    const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    const send = (request: LayoutRequest, buffer: ArrayBuffer) =>
      worker.postMessage(request, [buffer]);
    worker.addEventListener('message', ({ data }: MessageEvent<LayoutAnswer>) => {
      requestAnimationFrame(() => {
        if (this.#worker !== worker) return;
        const { positions, isSettled } = data;
        onPositions(positions);
        if (isSettled) {
          this.stop();
          onSettled();
        } else {
          send({ kind: 'go', positions }, positions.buffer);
        }
      });
    });
    send({ kind: 'start', graph }, graph.positions.buffer);
  }

  stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}
