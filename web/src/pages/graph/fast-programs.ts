import type { EdgeProgramType, NodeProgramType } from 'sigma/rendering';
import { EdgeLineProgram, NodePointProgram } from 'sigma/rendering';
import type { RenderParams } from 'sigma/types';
import type { EdgeAttributes, NodeAttributes } from './graph-scene.ts';

/** What a program of sigma is and where it draws, as far as it is looked at here. */
type ProgramInfo = Parameters<NodePointProgram['drawWebGL']>[1];

/** Lines that are not drawn at times: many of them take longer than everything else. */
export function skippableLines(
  isSkipped: () => boolean,
): EdgeProgramType<NodeAttributes, EdgeAttributes> {
  return class extends EdgeLineProgram<NodeAttributes, EdgeAttributes> {
    override render(params: RenderParams): void {
      if (!isSkipped()) super.render(params);
    }
  };
}

/**
 * Points that are at times not drawn a second time, which is for finding the one that the mouse is
 * over.
 */
export function skippablePoints(
  isOnlySeen: () => boolean,
): NodeProgramType<NodeAttributes, EdgeAttributes> {
  return class extends NodePointProgram<NodeAttributes, EdgeAttributes> {
    protected override renderProgram(params: RenderParams, info: ProgramInfo): void {
      if (!info.isPicking || !isOnlySeen()) super.renderProgram(params, info);
    }
  };
}
