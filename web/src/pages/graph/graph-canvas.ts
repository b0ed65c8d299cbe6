import Sigma from 'sigma';
import { createEdgeArrowProgram, NodeCircleProgram } from 'sigma/rendering';
import type { CameraState, EdgeDisplayData, NodeDisplayData } from 'sigma/types';
import type { Picture } from './drawing-history.ts';
import { drawEdgeType, drawHoveredLabel } from './canvas-labels.ts';
import type { EditorView, GraphEditor, Highlight } from './graph-editor.ts';
import type { EdgeAttributes, NodeAttributes } from './graph-scene.ts';
import { MovingLayers } from './moving-layers.ts';
import { skippableLines, skippablePoints } from './fast-programs.ts';
import { mix, type TypeColors } from './type-colors.ts';

/**
 * From so many nodes and edges on, nodes are drawn as points and edges as lines, and edges not
 * while it moves: discs and arrows are instances of a shape, which cost a drawing without a
 * graphics card very much.
 */
const LARGE_COUNT = 3_000;
/** More edges than that have no room for their types, nor has a narrow picture. */
const LABELLED_EDGES_MAX = 80;
const LABELLED_WIDTH_MIN_PX = 600;
const ARROW_HEAD = { lengthToThicknessRatio: 5, widenessToThicknessRatio: 4 };
/** From so many nodes on the others do not fade when something is lifted out. */
const FADING_NODES_MAX = 3_000;
const LABEL_FONT = 'ui-sans-serif, system-ui, sans-serif';
const ZOOM_FACTOR = 1.5;
/** The share of the visible part that one press of an arrow key moves. */
const PAN_SHARE = 0.15;
const FADED_SHARE = 0.18;

interface CanvasOptions {
  readonly colors: TypeColors;
  readonly onExpand: (uid: string) => void;
}

/** A node while it is dragged. */
interface Drag {
  readonly uid: string;
  readonly before: Picture;
  /** The layout would pull it away while it is dragged. */
  readonly wasLayoutRunning: boolean;
  hasMoved: boolean;
}

/** Draws the scene of an editor into an element, with the mouse and touch on it. To be disposed. */
export class GraphCanvas implements Disposable {
  readonly #editor: GraphEditor;
  readonly #sigma: Sigma<NodeAttributes, EdgeAttributes>;
  readonly #unsubscribe: () => void;
  readonly #sizes: ResizeObserver;
  #layers: MovingLayers | undefined;
  #colors: TypeColors;
  #hovered: string | undefined;
  /** What was drawn when sigma was told last. */
  #shown: EditorView | undefined;
  /** Whether sigma knows all current nodes and edges: only then it can draw some of them again. */
  #isIndexed = false;
  #drag: Drag | undefined;

  constructor(editor: GraphEditor, container: HTMLElement, options: CanvasOptions) {
    this.#editor = editor;
    this.#colors = options.colors;
    editor.scene.color(this.#colors);
    this.#sigma = new Sigma<NodeAttributes, EdgeAttributes>(editor.scene.graph, container, {
      allowInvalidContainer: true,
      defaultEdgeType: 'line',
      nodeProgramClasses: {
        circle: NodeCircleProgram,
        point: skippablePoints(() => this.#layers?.isMoving === true),
      },
      edgeProgramClasses: {
        line: skippableLines(() => editor.view.isLayoutRunning),
        arrow: createEdgeArrowProgram(ARROW_HEAD),
      },
      labelFont: LABEL_FONT,
      labelSize: 12,
      labelWeight: '500',
      edgeLabelFont: LABEL_FONT,
      edgeLabelSize: 11,
      defaultDrawEdgeLabel: drawEdgeType,
      labelRenderedSizeThreshold: 3,
      stagePadding: 50,
      labelDensity: 0.7,
      hideLabelsOnMove: true,
      // What is lifted out lies over the rest.
      zIndex: true,
      minCameraRatio: 0.02,
      maxCameraRatio: 4,
      // It takes any two clicks, and even a drag and a click, for a double click: the browser knows
      // better.
      doubleClickTimeout: 0,
      doubleClickZoomingRatio: 1,
      nodeReducer: (uid, data) => this.#nodeLook(uid, data),
      edgeReducer: (id, data) => this.#edgeLook(id, data),
    });
    this.#applyTheme();
    this.#listen(options.onExpand);
    this.#layers = new MovingLayers(this.#sigma);
    this.#sizes = new ResizeObserver(() => this.#sigma.scheduleRefresh());
    this.#sizes.observe(container);
    this.#unsubscribe = editor.subscribe(() => this.#follow());
    this.#follow();
  }

  /** After the theme has changed. */
  recolor(colors: TypeColors): void {
    this.#colors = colors;
    this.#editor.scene.color(this.#colors);
    this.#applyTheme();
  }

  zoomIn(): void {
    this.#moveCamera(({ ratio }) => ({ ratio: ratio / ZOOM_FACTOR }));
  }

  zoomOut(): void {
    this.#moveCamera(({ ratio }) => ({ ratio: ratio * ZOOM_FACTOR }));
  }

  /** By parts of what is seen: 1 to the right, -1 to the left; 1 up, -1 down. */
  pan(right: number, up: number): void {
    this.#moveCamera(({ x, y, ratio }) => ({
      x: x + right * PAN_SHARE * ratio,
      y: y + up * PAN_SHARE * ratio,
    }));
  }

  fit(): void {
    this.#sigma.setCustomBBox(null).refresh();
    this.#moveCamera(() => ({ x: 0.5, y: 0.5, ratio: 1, angle: 0 }));
  }

  center(uid: string): void {
    const shown = this.#sigma.getNodeDisplayData(uid);
    if (shown !== undefined) this.#moveCamera(() => ({ x: shown.x, y: shown.y }));
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#sizes.disconnect();
    this.#layers?.[Symbol.dispose]();
    this.#sigma.kill();
  }

  #applyTheme(): void {
    const { canvas } = this.#colors;
    this.#sigma.setSettings({
      labelColor: { color: canvas.ink },
      edgeLabelColor: { color: canvas.muted },
      defaultDrawNodeHover: (context, data, settings) =>
        drawHoveredLabel(context, data, settings, canvas),
    });
  }

  /** After any change of the editor. */
  #follow(): void {
    const { order, size } = this.#editor.scene.graph;
    const width = this.#sigma.getContainer().offsetWidth;
    const isLarge = order + size > LARGE_COUNT;
    const settings = {
      defaultEdgeType: isLarge ? 'line' : 'arrow',
      defaultNodeType: isLarge ? 'point' : 'circle',
      hideEdgesOnMove: isLarge,
      renderEdgeLabels: size <= LABELLED_EDGES_MAX && width >= LABELLED_WIDTH_MIN_PX,
    };
    const { defaultEdgeType, renderEdgeLabels } = this.#sigma.getSettings();
    const isOther =
      settings.defaultEdgeType !== defaultEdgeType ||
      settings.renderEdgeLabels !== renderEdgeLabels;
    if (isOther) this.#sigma.setSettings(settings);
    const { view } = this.#editor;
    const before = this.#shown;
    this.#shown = view;
    if (before?.drawing !== view.drawing) this.#isIndexed = false;
    if (before?.isLayoutRunning !== view.isLayoutRunning) this.#sigma.scheduleRender();
    if (before?.selected !== view.selected || before?.highlight !== view.highlight) {
      this.#sigma.scheduleRefresh();
    }
  }

  #moveCamera(change: (state: CameraState) => Partial<CameraState>): void {
    const camera = this.#sigma.getCamera();
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const state = camera.validateState(change(camera.getState()));
    if (isStill) camera.setState(state);
    else void camera.animate(state, { duration: 200 });
  }

  #listen(onExpand: (uid: string) => void): void {
    const sigma = this.#sigma;
    const editor = this.#editor;
    sigma.on('afterProcess', () => {
      this.#isIndexed = true;
    });
    sigma.on('clickNode', ({ node }) => editor.select(node));
    sigma.on('clickStage', () => editor.select(undefined));
    sigma.getCanvases()['mouse']?.addEventListener('dblclick', () => {
      if (this.#hovered !== undefined) onExpand(this.#hovered);
    });
    sigma.on('doubleClickNode', ({ node, event }) => {
      // A finger taps twice, and hovers over nothing.
      if (!(event.original instanceof MouseEvent)) onExpand(node);
    });
    sigma.on('enterNode', ({ node }) => this.#hover(node));
    sigma.on('leaveNode', () => this.#hover(undefined));
    sigma.on('downNode', ({ node }) => {
      const { scene, view } = editor;
      const wasLayoutRunning = view.isLayoutRunning;
      this.#drag = { uid: node, before: scene.picture(), wasLayoutRunning, hasMoved: false };
    });
    sigma.on('moveBody', ({ event }) => {
      if (this.#drag === undefined) return;
      // The frame must not follow the node that is moved within it.
      if (!this.#drag.hasMoved) sigma.setCustomBBox(sigma.getBBox());
      if (this.#drag.wasLayoutRunning && !this.#drag.hasMoved) editor.stopLayout();
      this.#drag.hasMoved = true;
      const { x, y } = sigma.viewportToGraph(event);
      editor.scene.moveNode(this.#drag.uid, x, y);
      event.preventSigmaDefault();
      event.original.preventDefault();
      event.original.stopPropagation();
    });
    sigma.on('upNode', () => this.#drop());
    sigma.on('upStage', () => this.#drop());
  }

  #drop(): void {
    const drag = this.#drag;
    this.#drag = undefined;
    if (drag?.hasMoved !== true) return;
    this.#editor.dropNode(drag.uid, drag.before);
    if (drag.wasLayoutRunning) this.#editor.startLayout();
  }

  #hover(uid: string | undefined): void {
    if (this.#drag !== undefined) return;
    this.#sigma.getContainer().style.cursor = uid === undefined ? '' : 'pointer';
    const { graph } = this.#editor.scene;
    const touched = [this.#hovered, uid]
      .filter((one) => one !== undefined)
      .filter((one) => graph.hasNode(one));
    this.#hovered = uid;
    const isFading = graph.order <= FADING_NODES_MAX;
    const nodes = isFading
      ? graph.nodes()
      : touched.flatMap((one) => [one, ...graph.neighbors(one)]);
    const edges = isFading ? graph.edges() : touched.flatMap((one) => graph.edges(one));
    this.#sigma.refresh({
      partialGraph: { nodes, edges },
      skipIndexation: this.#isIndexed,
      schedule: true,
    });
  }

  /** What is lifted out now: what the mouse is over with its neighbors, or else a path. */
  #lifted(): ((kind: 'node' | 'edge', id: string) => boolean) | undefined {
    const { graph } = this.#editor.scene;
    const hovered = this.#hovered;
    if (hovered !== undefined && graph.hasNode(hovered)) {
      return (kind, id) =>
        kind === 'node'
          ? id === hovered || graph.areNeighbors(id, hovered)
          : graph.hasExtremity(id, hovered);
    }
    const { highlight } = this.#editor.view;
    if (highlight === undefined) return undefined;
    return (kind, id) => membersOf(highlight, kind).has(id);
  }

  #nodeLook(uid: string, data: NodeAttributes): Partial<NodeDisplayData> {
    const { selected } = this.#editor.view;
    const look: Partial<NodeDisplayData> = { ...data };
    if (uid === selected) Object.assign(look, { highlighted: true, size: data.size + 2 });
    const isLifted = this.#lifted();
    if (isLifted === undefined) return look;
    if (isLifted('node', uid)) return { ...look, forceLabel: true };
    return { ...look, ...this.#faded(data.color), label: null };
  }

  #edgeLook(id: string, data: EdgeAttributes): Partial<EdgeDisplayData> {
    const { highlight } = this.#editor.view;
    const { label, color: own, hidden } = data;
    const look: Partial<EdgeDisplayData> = { label, color: own, hidden, size: 2 };
    const isLifted = this.#lifted();
    if (isLifted === undefined) return look;
    if (!isLifted('edge', id)) return { ...look, ...this.#faded(data.color), label: null };
    const color = highlight?.edges.has(id) === true ? this.#colors.canvas.ink : data.color;
    return { ...look, color, size: 4, zIndex: 1 };
  }

  #faded(color: string): { color?: string } {
    if (this.#editor.scene.graph.order > FADING_NODES_MAX) return {};
    return { color: mix(color, this.#colors.canvas.surface, FADED_SHARE) };
  }
}

function membersOf({ nodes, edges }: Highlight, kind: 'node' | 'edge'): ReadonlySet<string> {
  return kind === 'node' ? nodes : edges;
}
