import { ForceSimulation } from './force-simulation.ts';
import type { LayoutAnswer, LayoutRequest } from './layout-messages.ts';

/** One answer for each frame or so. */
const ANSWER_MS = 25;
/** Drawing a large graph takes long, so that it is asked for less often. */
const LARGE_ANSWER_MS = 250;
const LARGE_NODES = 2_000;

class LayoutWorker {
  #simulation: ForceSimulation | undefined;

  receive(request: LayoutRequest): void {
    if (request.kind === 'start') this.#simulation = new ForceSimulation(request.graph);
    const { positions } = request.kind === 'start' ? request.graph : request;
    const simulation = this.#simulation;
    if (simulation === undefined) return;
    const isLarge = positions.length / 2 > LARGE_NODES;
    const end = performance.now() + (isLarge ? LARGE_ANSWER_MS : ANSWER_MS);
    do simulation.iterate();
    while (!simulation.isSettled && performance.now() < end);
    simulation.copyPositions(positions);
    const answer: LayoutAnswer = { positions, isSettled: simulation.isSettled };
    self.postMessage(answer, { transfer: [positions.buffer] });
  }
}

const worker = new LayoutWorker();
self.addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => worker.receive(data));
