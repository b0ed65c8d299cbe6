import type Sigma from 'sigma';
import type { EdgeAttributes, NodeAttributes } from './graph-scene.ts';

/** Layers of sigma in which nothing is drawn while the picture moves. */
const EMPTY_LAYERS = ['edges', 'edgeLabels', 'labels', 'hovers', 'hoverNodes'] as const;
const STILL_MS = 150;

/**
 * Takes empty layers out of the page while a large picture moves: without a graphics card, laying
 * them over each other costs more than drawing the nodes.
 */
export class MovingLayers implements Disposable {
  readonly #sigma: Sigma<NodeAttributes, EdgeAttributes>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sigma: Sigma<NodeAttributes, EdgeAttributes>) {
    this.#sigma = sigma;
    sigma.getCamera().on('updated', this.#onMove);
    // It only takes the events of the mouse: wholly transparent, it is not laid over the others at
    // all.
    const { mouse } = sigma.getCanvases();
    if (mouse !== undefined) mouse.style.opacity = '0';
  }

  /** From a movement until a moment after it. */
  get isMoving(): boolean {
    return this.#timer !== undefined;
  }

  readonly #onMove = (): void => {
    if (!this.#sigma.getSetting('hideEdgesOnMove')) return;
    clearTimeout(this.#timer);
    this.#setVisible(false);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#setVisible(true);
      this.#sigma.scheduleRender();
    }, STILL_MS);
  };

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#sigma.getCamera().off('updated', this.#onMove);
  }

  #setVisible(isVisible: boolean): void {
    const canvases = this.#sigma.getCanvases();
    for (const layer of EMPTY_LAYERS) {
      const canvas = canvases[layer];
      if (canvas !== undefined) canvas.style.display = isVisible ? '' : 'none';
    }
  }
}
