"""Basilisk's Monte Carlo of a bus with three reaction wheels: seconds a sample. For a Python that has `bsk` in it.

`python basilisk_peer.py SAMPLES STEPS`: steps of 0.01 s by Runge and Kutta of fourth order (Basilisk's own default),
constant torques on the wheels, the bus's inertia and rates dispersed, attitude and rates kept at 41 times.
"""

import os
import shutil
import sys
import time

from Basilisk.architecture import messaging
from Basilisk.simulation import reactionWheelStateEffector, spacecraft
from Basilisk.utilities import RigidBodyKinematics, SimulationBaseClass, macros, simIncludeRW  # noqa: F401
from Basilisk.utilities.MonteCarlo.Controller import Controller
from Basilisk.utilities.MonteCarlo.Dispersions import NormalVectorCartDispersion, UniformDispersion
from Basilisk.utilities.MonteCarlo.RetentionPolicy import RetentionPolicy

STEP = 0.01
TORQUES = (0.002, -0.001, 0.0015)


class Bus(SimulationBaseClass.SimBaseClass):
    def __init__(self):
        super().__init__()
        process = self.CreateNewProcess("dynamics")
        process.addTask(self.CreateNewTask("task", macros.sec2nano(STEP)))
        self.craft = spacecraft.Spacecraft()
        self.craft.ModelTag = "bus"
        self.craft.hub.mHub = 100.0
        self.craft.hub.IHubPntBc_B = [[10.0, 0.0, 0.0], [0.0, 12.0, 0.0], [0.0, 0.0, 8.0]]
        self.craft.hub.omega_BN_BInit = [[0.01], [0.02], [-0.01]]
        self.wheels = reactionWheelStateEffector.ReactionWheelStateEffector()
        self.wheels.ModelTag = "wheels"
        factory = simIncludeRW.rwFactory()
        for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1]):
            factory.create(
                "custom", axis, Js=0.01, Jt=0.005, Jg=0.005, Omega=0.0, u_max=0.1, Omega_max=1e5, mass=1.0
            )
        factory.addToSpacecraft(self.wheels.ModelTag, self.wheels, self.craft)
        torques = messaging.ArrayMotorTorqueMsgPayload()
        torques.motorTorque = list(TORQUES) + [0.0] * 33
        self.torques = messaging.ArrayMotorTorqueMsg().write(torques)
        self.wheels.rwMotorCmdInMsg.subscribeTo(self.torques)
        self.AddModelToTask("task", self.wheels)
        self.AddModelToTask("task", self.craft)
        self.msgRecList = {}
        self.every = 50 * macros.sec2nano(STEP)
        recorder = self.craft.scStateOutMsg.recorder(self.every)
        self.msgRecList["state"] = recorder
        self.AddModelToTask("task", recorder)


def execute(sim):
    sim.InitializeSimulation()
    sim.ConfigureStopTime(macros.sec2nano(STEP * STEPS))
    sim.ExecuteSimulation()


SAMPLES, STEPS = int(sys.argv[1]), int(sys.argv[2])

if __name__ == "__main__":
    control = Controller()
    control.setSimulationFunction(Bus)
    control.setExecutionFunction(execute)
    control.setExecutionCount(SAMPLES)
    control.setThreadCount(1)
    control.setShouldDisperseSeeds(False)
    control.setVerbose(False)
    control.setShowProgressBar(False)
    folder = f"/tmp/basilisk-{os.getpid()}/"
    control.setArchiveDir(folder)
    control.addDispersion(UniformDispersion("craft.hub.mHub", [90.0, 110.0]))
    control.addDispersion(NormalVectorCartDispersion("craft.hub.omega_BN_BInit", 0.0, 0.01))
    policy = RetentionPolicy()
    policy.addMessageLog("state", ["sigma_BN", "omega_BN_B"])
    control.addRetentionPolicy(policy)
    started = time.perf_counter(), time.process_time()
    failed = control.executeSimulations()
    wall = time.perf_counter() - started[0]
    times = os.times()
    processor = time.process_time() - started[1] + times.children_user + times.children_system
    shutil.rmtree(folder, ignore_errors=True)
    assert not failed, failed
    # the bare steps of one simulation, without what the Monte Carlo does around them
    sim = Bus()
    sim.InitializeSimulation()
    sim.ConfigureStopTime(macros.sec2nano(STEP * STEPS))
    begun = time.process_time()
    sim.ExecuteSimulation()
    bare = time.process_time() - begun
    print(f"{wall / SAMPLES} {processor / SAMPLES} {bare}")
